//! `PUT /api/ext/v3/conversations/{target}/read`: marks a conversation as read or unread for the calling operator.

use app::inbox::conversations::ReadMark;

use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ConversationRead)]
pub(crate) struct MarkReadRequest {
    /// `true`: the operator has seen all messages. `false`: the last message is unread again.
    #[schema(example = true)]
    read: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationUnread {
    /// The operator's number of unread messages after the change.
    #[schema(example = 0, minimum = 0)]
    unread: i64,
}

/// Mark a conversation as read or unread
///
/// Only affects the calling operator; the person does not see it.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/{target}/read",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The conversation was marked.", body = ConversationUnread),
        (
            status = 409,
            description = "Reasons: `conflict` (the credential does not belong to an operator), `ambiguous_target`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn mark_conversation(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<MarkReadRequest>,
) -> ApiResult<Json<ConversationUnread>> {
    let mark = if input.read { ReadMark::Read } else { ReadMark::Unread };
    let unread = state.app.inbox().conversations().mark(&caller, (&target).into(), mark).await?;
    Ok(Json(ConversationUnread { unread }))
}
