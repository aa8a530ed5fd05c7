//! `GET /api/ext/v3/broadcasts/{id}`: one broadcast with its recipient counts.

use domain::BroadcastId;

use super::shape::BroadcastWithStatistics;
use crate::prelude::*;

/// Get a broadcast
///
/// All counts are taken at the same moment.
#[described::path(
    get,
    path = "/api/ext/v3/broadcasts/{id}",
    responses((status = 200, description = "The broadcast.", body = BroadcastWithStatistics)),
)]
pub(crate) async fn get_broadcast(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
) -> ApiResult<Json<BroadcastWithStatistics>> {
    Ok(Json(state.app.messaging().broadcasts().find(&caller, id).await?.into()))
}
