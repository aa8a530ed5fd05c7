//! `POST /api/ext/v3/conversations/messages/file/{message_id}/fetch`: fetches a received file again.

use axum::Json;
use axum::extract::State;

use super::shape::FileShape;
use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody, NOT_FOUND};
use crate::gate::Caller;
use crate::input::FromPath;

/// Fetch a received file again
///
/// Switchboard fetches the files that people send when their messages arrive. If that failed, this makes the next
/// attempt due at once, for instance after you freed space in a full quota. The answer describes the file; the attempt
/// itself runs in the background, and the history shows its outcome. A file that is stored stays as it is.
#[utoipa::path(
    post,
    path = "/api/ext/v3/conversations/messages/file/{message_id}/fetch",
    tag = "conversations",
    params(("message_id" = String, Path, description = "The message.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The file, `pending` or `stored`.", body = FileShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn fetch_message_file(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(message): FromPath<String>,
) -> ApiResult<Json<FileShape>> {
    let message = message.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such message"))?;
    Ok(Json(state.app.media().request(&caller, message).await?.into()))
}
