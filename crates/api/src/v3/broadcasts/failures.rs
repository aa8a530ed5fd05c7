//! `GET /api/ext/v3/broadcasts/{id}/failures`: the recipients that got nothing, by cause.

use app::broadcasts::FailureCause;
use domain::BroadcastId;

use crate::prelude::*;

list!(BroadcastFailures { "failures": BroadcastFailureCause } "The most frequent cause first, at most 100.");

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastFailureCause {
    /// The network's error code, or the equivalent of Switchboard's own refusal; absent where neither gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "131026", nullable = false)]
    code: Option<String>,
    /// The text of one of these failures.
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

/// Get the failures of a broadcast by cause
///
/// Counts recipients that were refused at once, and messages that failed or expired. The parameter `failed_code` of the
/// list of recipients selects the recipients of one cause.
#[described::path(
    get,
    path = "/api/ext/v3/broadcasts/{id}/failures",
    responses((status = 200, description = "The causes.", body = BroadcastFailures)),
)]
pub(crate) async fn get_broadcast_failures(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
) -> ApiResult<Json<BroadcastFailures>> {
    let causes = state.app.broadcasts().failures(&caller, id).await?;
    Ok(Json(List::of(causes)))
}
