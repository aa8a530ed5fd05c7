//! `DELETE /api/ext/v3/cannedReplies/{id}/files/{file_id}`

use axum::Json;
use axum::extract::State;

use super::CannedFilePath;
use super::shape::CannedReplyShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Remove a file from a canned reply
#[utoipa::path(
    delete,
    path = "/api/ext/v3/cannedReplies/{id}/files/{file_id}",
    tag = "conversations",
    params(
        ("id" = String, Path, description = "The canned reply's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
        ("file_id" = String, Path, description = "The file's id.", example = "69eb4e9a1f0c2d3e4a5b6c7e"),
    ),
    responses(
        (status = 200, description = "The canned reply without the file.", body = CannedReplyShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_canned_file(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<CannedFilePath>,
) -> ApiResult<Json<CannedReplyShape>> {
    let (id, file) = path.ids()?;
    Ok(Json(state.app.canned_replies().remove_file(&caller, id, file).await?.into()))
}
