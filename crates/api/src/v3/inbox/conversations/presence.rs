//! `PUT /api/ext/v3/conversations/{target}/presence`: records that an operator is viewing a conversation or writing in
//! it, and returns the other operators who are.

use domain::AccountId;
use domain::inbox::presence::Present;

use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ConversationPresence {
    /// `viewing`, `writing` or `gone`.
    #[schema(example = "writing")]
    state: String,
}

list!(PresentOperators { "present": PresentOperator } "The other operators viewing the conversation or writing in it.");

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PresentOperator {
    id: AccountId,
    #[schema(example = "ben@example.com")]
    email: String,
    /// `viewing` or `writing`.
    #[schema(example = "writing")]
    state: &'static str,
}

impl From<Present> for PresentOperator {
    fn from(present: Present) -> Self {
        Self { id: present.account_id, email: present.email, state: present.state.name() }
    }
}

/// Report that you are viewing or writing in a conversation
///
/// Returns the other operators who are. Your state lasts for 15 seconds: repeat the request every few seconds while the
/// conversation is open, and send `gone` when you close it. The state is not logged, and the person does not see it.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/{target}/presence",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The other operators in the conversation.", body = PresentOperators),
        (
            status = 409,
            description = "Reasons: `conflict` (the credential does not belong to an operator), `ambiguous_target`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn set_conversation_presence(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<ConversationPresence>,
) -> ApiResult<Json<PresentOperators>> {
    let presence = match input.state.as_str() {
        "gone" => None,
        name => {
            let known = name.parse().map_err(|()| ApiError::invalid("state", "expected viewing, writing or gone"))?;
            Some(known)
        }
    };
    let others = state.app.inbox().conversations().be_present(&caller, (&target).into(), presence).await?;
    Ok(Json(List::from_rows(others)))
}
