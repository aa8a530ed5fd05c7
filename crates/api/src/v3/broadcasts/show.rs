//! `GET /api/ext/v3/broadcasts/{id}`: one broadcast with the counts of its recipients.

use axum::Json;
use axum::extract::State;

use super::broadcast_id;
use super::shape::BroadcastWithStatistics;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Get one broadcast
///
/// All counts are taken at the same moment.
#[utoipa::path(
    get,
    path = "/api/ext/v3/broadcasts/{id}",
    tag = "broadcasts",
    params(("id" = String, Path, description = "The broadcast's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The broadcast.", body = BroadcastWithStatistics),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_broadcast(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<BroadcastWithStatistics>> {
    Ok(Json(state.app.broadcasts().find(&caller, broadcast_id(&id)?).await?.into()))
}
