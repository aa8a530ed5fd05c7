//! `GET /api/ext/v3/conversations/messages/file/{message_id}`: a message's file.

use domain::MessageId;

use crate::prelude::*;
use crate::shared::messaging::file_bytes::FileBytes;

/// Get a message's file
///
/// Returns the image, video, audio file, document or sticker of a sent or received message. Received files are fetched
/// from the network when they arrive, and kept. A file that is not stored is passed through from the network, which
/// keeps it for a few days, and Switchboard then fetches it again to store it. Images, videos and audio files are
/// served for inline display, other files as attachments.
#[described::path(
    get,
    path = "/api/ext/v3/conversations/messages/file/{message_id}",
    responses(
        (
            status = 200,
            description = "The file, with its content type.",
            body = FileBytes,
            content_type = "application/octet-stream",
            headers(("Content-Disposition" = String, description = "The file name.")),
        ),
    ),
)]
pub(crate) async fn get_message_file(
    Gated(state, caller): Gated,
    Path((message,)): Path<(MessageId,)>,
) -> ApiResult<FileBytes> {
    Ok(FileBytes(state.app.messaging().media().open(&caller, message).await?))
}
