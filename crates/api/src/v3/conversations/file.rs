//! `GET /api/ext/v3/conversations/messages/file/{message_id}`: the file of a message.

use axum::extract::State;

use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody, NOT_FOUND};
use crate::gate::Caller;
use crate::input::FromPath;
use crate::media::FileBytes;

/// Get the file of a message
///
/// The image, video, audio file, document or sticker of a message that was sent or received. Received files are fetched
/// from the network when they arrive, and kept. One that is not stored is passed on from the network, which keeps it
/// for a few days, and Switchboard then fetches it again to store it. Images, videos and audio files are served for
/// inline display, other files as attachments.
#[utoipa::path(
    get,
    path = "/api/ext/v3/conversations/messages/file/{message_id}",
    tag = "conversations",
    params(("message_id" = String, Path, description = "The message.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (
            status = 200,
            description = "The file, with its content type.",
            body = FileBytes,
            content_type = "application/octet-stream",
            headers(("Content-Disposition" = String, description = "The name of the file.")),
        ),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_message_file(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(message): FromPath<String>,
) -> ApiResult<FileBytes> {
    let message = message.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such message"))?;
    Ok(FileBytes(state.app.media().open(&caller, message).await?))
}
