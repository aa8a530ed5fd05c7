//! `POST /api/ext/v3/broadcasts/{id}/cancel`: stops the messages that have not been sent.

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
/// Messages that have not been sent are stopped and counted as such. Messages in flight to the network are still sent.
#[utoipa::path(
    post,
    path = "/api/ext/v3/broadcasts/{id}/cancel",
    tag = "broadcasts",
    params(("id" = String, Path, description = "The broadcast's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The broadcast after the change.", body = BroadcastWithStatistics),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "The broadcast is cancelled already, or every message has left. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn cancel_broadcast(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<BroadcastWithStatistics>> {
    Ok(Json(state.app.broadcasts().cancel(&caller, broadcast_id(&id)?).await?.into()))
}
