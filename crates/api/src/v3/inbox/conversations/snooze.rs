//! `PUT /api/ext/v3/conversations/{target}/snooze`: sets a conversation aside until a given time.

use domain::Change;

use super::operator::ConversationChanged;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ConversationSnooze)]
pub(crate) struct SnoozeRequest {
    /// A time within the next 366 days; null ends the snooze.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-25T08:00:00.000Z")]
    until: Change<String>,
}

/// Snooze a conversation
///
/// Lists with `snoozed=false` omit the conversation until that time or until the person writes. Only open and pending
/// conversations can be snoozed. Solving or blocking a conversation ends its snooze.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/{target}/snooze",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (
            status = 200,
            description = "The conversation is snoozed, or its snooze has ended.",
            body = ConversationChanged
        ),
        (
            status = 409,
            description = "Reasons: `conflict` (the conversation is solved or blocked), `ambiguous_target`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn snooze_conversation(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<SnoozeRequest>,
) -> ApiResult<Json<ConversationChanged>> {
    let until = match input.until {
        Change::Set(text) => {
            let moment = Moment::parse(&text).map_err(|error| ApiError::invalid("until", error))?;
            Some(moment.first())
        }
        Change::Clear => None,
        Change::Keep => return Err(ApiError::invalid("until", "expected a time, or null to end the snooze")),
    };
    state.app.inbox().conversations().snooze(&caller, (&target).into(), until).await?;
    Ok(Json(ConversationChanged { result: true }))
}
