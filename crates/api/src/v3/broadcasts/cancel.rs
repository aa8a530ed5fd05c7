//! `POST /api/ext/v3/broadcasts/{id}/cancel`: what has not left stays.

use axum::Json;
use axum::extract::State;

use super::broadcast_id;
use super::shape::BroadcastWithStatistics;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Cancel a broadcast
///
/// Whoever has not been sent to gets nothing, and is counted as stopped. What is on its way to the network at this
/// moment still leaves.
#[utoipa::path(
    post,
    path = "/api/ext/v3/broadcasts/{id}/cancel",
    tag = "broadcasts",
    params(("id" = String, Path, description = "The broadcast's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The broadcast as it is now.", body = BroadcastWithStatistics),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "It was stopped before, or everything has left. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn cancel_broadcast(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<BroadcastWithStatistics>> {
    Ok(Json(state.app.broadcasts().cancel(&caller, broadcast_id(&id)?).await?.into()))
}
