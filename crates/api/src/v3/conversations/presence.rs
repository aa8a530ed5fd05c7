//! `PUT /api/ext/v3/conversations/{target}/presence`: records that an operator views a conversation or writes in it,
//! and returns the other operators who do.

use axum::Json;
use axum::extract::State;
use domain::AccountId;
use domain::conversations::Present;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ConversationPresence)]
pub(crate) struct SetPresenceRequest {
    /// `viewing`, `writing` or `gone`.
    #[schema(example = "writing")]
    state: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PresentOperators)]
pub(crate) struct PresentAnswer {
    /// The other operators who view the conversation or write in it.
    present: Vec<PresentShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PresentOperator)]
pub(crate) struct PresentShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c01")]
    id: AccountId,
    #[schema(example = "ben@example.com")]
    email: String,
    /// `viewing` or `writing`.
    #[schema(example = "writing")]
    state: &'static str,
}

impl From<Present> for PresentShape {
    fn from(present: Present) -> Self {
        Self { id: present.account_id, email: present.email, state: present.state.name() }
    }
}

/// Say that you view a conversation or write in it
///
/// Answers with the other operators who do. Your state holds for 15 seconds: repeat the request every few seconds while
/// the conversation is open, and send `gone` when it is closed. The state is in no log, and the person does not see it.
#[utoipa::path(
    put,
    path = "/api/ext/v3/conversations/{target}/presence",
    tag = "conversations",
    params(("target" = String, Path, description = "A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front.", example = "14155552671")),
    request_body = SetPresenceRequest,
    responses(
        (status = 200, description = "The other operators in the conversation.", body = PresentAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (the credential belongs to no operator), `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_conversation_presence(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
    JsonBody(input): JsonBody<SetPresenceRequest>,
) -> ApiResult<Json<PresentAnswer>> {
    let presence = match input.state.as_str() {
        "gone" => None,
        name => {
            let known = name.parse().map_err(|()| ApiError::invalid("state", "expected viewing, writing or gone"))?;
            Some(known)
        }
    };
    let others = state.app.conversations().be_present(&caller, (&target).into(), "target", presence).await?;
    Ok(Json(PresentAnswer { present: others.into_iter().map(PresentShape::from).collect() }))
}
