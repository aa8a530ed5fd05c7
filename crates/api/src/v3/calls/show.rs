//! `GET /api/ext/v3/calls/{id}`: one call.

use axum::extract::State;
use axum::response::Response;
use domain::calls::CallView;

use super::{call_id, json};
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Get one call
#[utoipa::path(
    get,
    path = "/api/ext/v3/calls/{id}",
    tag = "calls",
    params(("id" = String, Path, description = "The call's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The call.", body = CallView),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_call(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Response> {
    Ok(json(state.app.calls().show(&caller, call_id(&id)?).await?))
}
