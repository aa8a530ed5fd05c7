//! `POST /api/ext/v3/conversations/messages/file/{message_id}/fetch`: fetches a received file again.

use domain::MessageId;

use super::shape::MessageFile;
use crate::prelude::*;

/// Fetch a received file again
///
/// Switchboard fetches files that people send when their messages arrive. If that failed, this makes the next attempt
/// due immediately, for example after you freed space in a full quota. The response describes the file. The attempt
/// itself runs in the background, and the history shows its outcome. A stored file is left unchanged.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/file/{message_id}/fetch",
    responses((status = 200, description = "The file, `pending` or `stored`.", body = MessageFile)),
)]
pub(crate) async fn fetch_message_file(
    Gated(state, caller): Gated,
    Path((message,)): Path<(MessageId,)>,
) -> ApiResult<Json<MessageFile>> {
    Ok(Json(state.app.messaging().media().request(&caller, message).await?.into()))
}
