//! `PUT /api/ext/v3/conversations/{target}/operator`: assigns a conversation.

use app::inbox::conversations::{AssignTo, Assignment};
use domain::Change;

use crate::prelude::*;

const ASSIGNEE: &str = "assignee_email";
const TEAM: &str = "team";
const UNASSIGNED: &str = "unassigned";

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ConversationOperator {
    /// The e-mail address of one of the tenant's accounts; null for the bot.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "grace@example.com")]
    assignee_email: Change<String>,
    /// A team to assign instead of an operator.
    #[schema(example = "Support", nullable = false)]
    team: Option<String>,
    /// `true`, without `assignee_email` and `team`: removes the assignee.
    #[schema(nullable = false)]
    unassigned: Option<bool>,
    /// Assign only if this is the current assignee: an e-mail address, a team's name, `bot` or `unassigned`.
    #[schema(example = "ada@example.com", nullable = false)]
    from: Option<String>,
    /// `false`: do not assign if another operator has the conversation. Default: `true`.
    #[schema(default = true, nullable = false)]
    take_over: Option<bool>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationChanged {
    #[schema(example = true)]
    pub result: bool,
}

/// Assign a conversation
///
/// Assigns it to an operator or a team, to the bot (`assignee_email` null), or to no one (`unassigned`). By default,
/// the current assignee does not matter. With `from`, the current assignee must match: if two clients take a
/// conversation at the same time, one succeeds and the other gets `409`.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/{target}/operator",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The conversation was assigned.", body = ConversationChanged),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if the operator or team does not exist).",
            body = ErrorBody
        ),
        (
            status = 409,
            description = "The current assignee is not `from`, another operator has the conversation and `take_over` \
                is false, or the target matches several conversations. Reasons: `conflict`, `ambiguous_target`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn set_conversation_operator(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<ConversationOperator>,
) -> ApiResult<Json<ConversationChanged>> {
    let unassigned = input.unassigned.unwrap_or_default();
    let to = match (input.assignee_email, input.team) {
        (Change::Keep, None) if unassigned => AssignTo::Unassigned,
        _ if unassigned => {
            return Err(ApiError::invalid(UNASSIGNED, "cannot be combined with assignee_email or team"));
        }
        (Change::Set(email), None) => AssignTo::Operator(email),
        (Change::Clear, None) => AssignTo::Bot,
        (Change::Keep, Some(team)) => AssignTo::Team(team),
        (Change::Keep, None) => {
            return Err(ApiError::invalid(ASSIGNEE, "expected an e-mail address, or null for the bot"));
        }
        (_, Some(_)) => return Err(ApiError::invalid(TEAM, "cannot be combined with assignee_email")),
    };
    let assignment = Assignment { to, from: input.from, take_over: input.take_over.unwrap_or(true) };
    state.app.inbox().conversations().assign(&caller, (&target).into(), assignment).await?;
    Ok(Json(ConversationChanged { result: true }))
}
