//! `POST /api/ext/v3/broadcasts/{id}/cancel`: stops the messages that have not been sent.

use domain::BroadcastId;

use super::shape::BroadcastWithStatistics;
use crate::prelude::*;

/// Cancel a broadcast
///
/// Messages that have not been sent are stopped and counted as such. Messages in flight to the network are still sent.
#[described::path(
    post,
    path = "/api/ext/v3/broadcasts/{id}/cancel",
    responses(
        (status = 200, description = "The broadcast after the change.", body = BroadcastWithStatistics),
        (status = 409, description = "The broadcast is cancelled already, or every message has left. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn cancel_broadcast(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
) -> ApiResult<Json<BroadcastWithStatistics>> {
    Ok(Json(state.app.broadcasts().cancel(&caller, id).await?.into()))
}
