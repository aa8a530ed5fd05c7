//! `GET /api/ext/v3/broadcasts/{id}/failures`: failed recipients, counted by cause.

use app::messaging::broadcasts::FailureCause;
use domain::BroadcastId;

use crate::prelude::*;

list!(BroadcastFailures { "failures": BroadcastFailureCause } "At most 100 causes, the most frequent first.");

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastFailureCause {
    /// The network's error code, or its equivalent if Switchboard refused the message. Absent if there is neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "131026", nullable = false)]
    code: Option<String>,
    /// The error text of one of these failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Message undeliverable", nullable = false)]
    detail: Option<String>,
    /// The number of recipients.
    #[schema(example = 12, minimum = 1)]
    count: usize,
}

impl From<FailureCause> for BroadcastFailureCause {
    fn from(cause: FailureCause) -> Self {
        Self { code: cause.code.map(|code| code.to_string()), detail: cause.detail, count: cause.count }
    }
}

/// Get a broadcast's failures by cause
///
/// Counts recipients that were refused immediately and messages that failed or expired. To list the recipients behind
/// one cause, use the `failed_code` parameter of the recipient list.
#[described::path(
    get,
    path = "/api/ext/v3/broadcasts/{id}/failures",
    responses((status = 200, description = "The causes.", body = BroadcastFailures)),
)]
pub(crate) async fn get_broadcast_failures(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
) -> ApiResult<Json<BroadcastFailures>> {
    let causes = state.app.messaging().broadcasts().failures(&caller, id).await?;
    Ok(Json(List::from_rows(causes)))
}
