//! `PUT /api/ext/v3/conversations/read`: marks the conversations in a list as read for the calling operator.

use app::inbox::conversations::{ConversationQuery, MarkedList};

use crate::prelude::*;
use crate::shared::messaging::conversations::status;

/// The list's filters. An omitted filter matches all conversations.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ConversationsRead)]
pub(crate) struct MarkListReadRequest {
    /// `open`, `solved`, `pending` or `block`.
    #[schema(example = "open", nullable = false)]
    status: Option<String>,
    /// `me`, an operator's e-mail address, a team's name, `bot` or `unassigned`.
    #[schema(example = "me", nullable = false)]
    assignee: Option<String>,
    /// A channel's name, number or id.
    #[schema(example = "Support", nullable = false)]
    channel: Option<String>,
    /// A label's name or id.
    #[schema(example = "vip", nullable = false)]
    label: Option<String>,
    #[schema(nullable = false)]
    snoozed: Option<bool>,
    /// The `next_cursor` from the previous response.
    #[schema(nullable = false)]
    cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationsMarked {
    /// How many of the conversations were unread before.
    #[schema(example = 12, minimum = 0, maximum = 200)]
    marked: usize,
    /// Present if there may be more conversations. Repeat the request with this as `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Mark all conversations as read
///
/// Only affects the calling operator. One request marks at most 200 conversations and examines at most 1000, starting
/// with the latest message. Repeat it with `next_cursor` until there is none.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/read",
    responses(
        (status = 200, description = "The conversations were marked.", body = ConversationsMarked),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if the label, operator, team or channel does not exist).",
            body = ErrorBody
        ),
        (
            status = 409,
            description = "Reasons: `conflict` (the credential does not belong to an operator).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn mark_conversations(
    Gated(state, caller): Gated,
    Json(input): Json<MarkListReadRequest>,
) -> ApiResult<Json<ConversationsMarked>> {
    let status = input.status.map(|name| status("status", &name)).transpose()?;
    let query = ConversationQuery {
        status,
        assignee: input.assignee,
        channel: input.channel,
        label: input.label,
        snoozed: input.snoozed,
        ..ConversationQuery::default()
    };
    let conversations = state.app.inbox().conversations();
    let MarkedList { marked, next_cursor } =
        conversations.mark_list_read(&caller, &query, input.cursor.as_deref()).await?;
    Ok(Json(ConversationsMarked { marked, next_cursor }))
}
