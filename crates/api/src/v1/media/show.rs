//! `GET /{tenantId}/api/file/showFile`: the same file under an older address, which has no version.

use axum::extract::State;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::media::FileBytes;

/// Show a file
///
/// The same as `getMedia`.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/file/showFile",
    tag = "conversations",
    params(
        ("fileName" = String, Query, description = "The name of the file.", example = "69eb4e9a1f0c2d3e4a5b6c7d.jpg"),
    ),
    responses(
        (
            status = 200,
            description = "The file, under its own type.",
            body = FileBytes,
            content_type = "application/octet-stream",
            headers(("Content-Disposition" = String, description = "The name of the file.")),
        ),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn show_file(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<FileBytes> {
    super::get::named(&state, &caller, &input).await
}
