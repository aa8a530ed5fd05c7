//! `POST /api/ext/v3/broadcasts/{id}/cancel`: stops unsent messages.

use domain::BroadcastId;

use super::shape::BroadcastWithStatistics;
use crate::prelude::*;

/// Cancel a broadcast
///
/// Unsent messages are stopped and counted as stopped. Messages already in flight to the network are still sent.
#[described::path(
    post,
    path = "/api/ext/v3/broadcasts/{id}/cancel",
    responses(
        (status = 200, description = "The updated broadcast.", body = BroadcastWithStatistics),
        (
            status = 409,
            description = "The broadcast is already canceled, or no message is waiting any more. Reasons: `conflict`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn cancel_broadcast(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
) -> ApiResult<Json<BroadcastWithStatistics>> {
    Ok(Json(state.app.messaging().broadcasts().cancel(&caller, id).await?.into()))
}
