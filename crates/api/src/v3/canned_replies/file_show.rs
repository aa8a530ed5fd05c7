//! `GET /api/ext/v3/cannedReplies/{id}/files/{file_id}`: the bytes of a file.

use axum::extract::State;

use super::CannedFilePath;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;
use crate::media::FileBytes;

/// Get a file of a canned reply
#[utoipa::path(
    get,
    path = "/api/ext/v3/cannedReplies/{id}/files/{file_id}",
    tag = "conversations",
    params(
        ("id" = String, Path, description = "The canned reply's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
        ("file_id" = String, Path, description = "The file's id.", example = "69eb4e9a1f0c2d3e4a5b6c7e"),
    ),
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
pub(crate) async fn get_canned_file(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<CannedFilePath>,
) -> ApiResult<FileBytes> {
    let (id, file) = path.ids()?;
    Ok(FileBytes(state.app.canned_replies().open_file(&caller, id, file).await?))
}
