//! `GET /api/ext/v3/webhooks/{id}/recovery`: the progress of the last recovery.

use domain::WebhookId;
use domain::delivery::webhooks::RecoveryProgress;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookRecoveryProgress {
    /// `running`; `done`: each delivery was tried, and those that failed are retried on the usual schedule; `canceled`:
    /// by a client, or because the webhook is no longer enabled.
    #[schema(example = "running")]
    state: &'static str,
    #[serde(serialize_with = "as_rfc3339")]
    since: Timestamp,
    /// The end of the window; null if it has none.
    #[serde(serialize_with = "as_optional_rfc3339")]
    #[schema(value_type = Option<String>, required = true, format = "date-time", example = "2026-04-24T12:00:00.000Z")]
    until: Option<Timestamp>,
    #[serde(serialize_with = "as_rfc3339")]
    started: Timestamp,
    /// Deliveries in this recovery so far. Grows while events are being examined.
    #[schema(example = 12)]
    total: i64,
    #[schema(example = 9)]
    delivered: i64,
    /// Tried since the start, but not delivered.
    #[schema(example = 1)]
    failed: i64,
}

impl From<RecoveryProgress> for WebhookRecoveryProgress {
    fn from(one: RecoveryProgress) -> Self {
        let RecoveryProgress { state, window, started_at, total, delivered, failed } = one;
        let (since, until) = (window.since, window.until);
        Self { state: state.name(), since, until, started: started_at, total, delivered, failed }
    }
}

/// Get a recovery's progress
///
/// Returns the progress of the webhook's last recovery, or `404` if there was none.
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/recovery",
    responses((status = 200, description = "The progress.", body = WebhookRecoveryProgress)),
)]
pub(crate) async fn get_webhook_recovery(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
) -> ApiResult<Json<WebhookRecoveryProgress>> {
    Ok(Json(state.app.delivery().webhooks().recovery(&caller, id).await?.into()))
}
