//! `GET /{tenantId}/api/v1/getMedia`: a file by its name.

use axum::extract::State;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::media::FileBytes;

/// Get a file
///
/// `fileName` is what `getMessages` shows as `data`. A name is looked up among the tenant's own files. What is not there
/// answers 404, so that no error is taken for a file.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/getMedia",
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
pub(crate) async fn get_media(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<FileBytes> {
    named(&state, &caller, &input).await
}

pub(super) async fn named(state: &ApiState, caller: &Caller, input: &LegacyInput) -> ApiResult<FileBytes> {
    let name = input.required_text(&["fileName"])?;
    Ok(FileBytes(state.app.media().open_named(caller, &name).await?))
}
