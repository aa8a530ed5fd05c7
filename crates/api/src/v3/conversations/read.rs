//! `PUT /api/ext/v3/conversations/{target}/read`: marks a conversation as read or unread for the calling operator.

use app::conversations::ReadMark;

use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ConversationRead)]
pub(crate) struct MarkReadRequest {
    /// True: the operator has seen all messages. False: the last one is unread again.
    #[schema(example = true)]
    read: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationUnread {
    /// Messages that the operator has not seen now.
    #[schema(example = 0, minimum = 0)]
    unread: i64,
}

/// Mark a conversation as read or unread
///
/// For the operator behind the credential alone; the person does not see it.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/{target}/read",
    params(("target" = String, Path, description = "A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front.", example = "14155552671")),
    responses(
        (status = 200, description = "The conversation is marked.", body = ConversationUnread),
        (status = 409, description = "Reasons: `conflict` (the credential belongs to no operator), `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn mark_conversation(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<MarkReadRequest>,
) -> ApiResult<Json<ConversationUnread>> {
    let mark = if input.read { ReadMark::Read } else { ReadMark::Unread };
    let unread = state.app.conversations().mark(&caller, (&target).into(), "target", mark).await?;
    Ok(Json(ConversationUnread { unread }))
}
