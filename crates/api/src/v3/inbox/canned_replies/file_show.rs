//! `GET /api/ext/v3/cannedReplies/{id}/files/{file_id}`: a file's bytes.

use domain::{CannedReplyId, MediaId};

use crate::prelude::*;
use crate::shared::messaging::file_bytes::FileBytes;

/// Get a canned reply's file
#[described::path(
    get,
    path = "/api/ext/v3/cannedReplies/{id}/files/{file_id}",
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
pub(crate) async fn get_canned_file(
    Gated(state, caller): Gated,
    Path((id, file)): Path<(CannedReplyId, MediaId)>,
) -> ApiResult<FileBytes> {
    Ok(FileBytes(state.app.inbox().canned_replies().open_file(&caller, id, file).await?))
}
