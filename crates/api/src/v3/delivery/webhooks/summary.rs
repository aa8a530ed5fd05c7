//! `GET /api/ext/v3/webhooks/{id}/summary`: delivery counts for the last 24 hours.

use app::delivery::webhooks::WebhookSummary;
use domain::WebhookId;

use super::deliveries::milliseconds;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookSummary)]
pub(crate) struct SummaryAnswer {
    #[schema(example = 24)]
    hours: i64,
    /// Deliveries of events since this time are counted. This is less than `hours` hours ago if there were more than 20
    /// 000 deliveries.
    #[serde(serialize_with = "as_rfc3339")]
    since: Timestamp,
    #[schema(example = 1204)]
    delivered: i64,
    /// Deliveries whose first attempt failed, including those delivered later.
    #[schema(example = 3)]
    failed_at_first: i64,
    /// Deliveries that are `retrying`, `held` or `parked`.
    #[schema(example = 1)]
    waiting: i64,
    /// The time in milliseconds within which 99 of 100 deliveries got a response; null if nothing was delivered.
    #[schema(required = true, example = 112)]
    p99_ms: Option<i64>,
}

impl From<WebhookSummary> for SummaryAnswer {
    fn from(one: WebhookSummary) -> Self {
        let WebhookSummary { hours, since, delivered, failed_at_first, waiting, p99 } = one;
        Self { hours, since, delivered, failed_at_first, waiting, p99_ms: p99.map(milliseconds) }
    }
}

/// Get a webhook's summary
///
/// Covers the deliveries of the last 24 hours. Tests are not counted.
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/summary",
    responses((status = 200, description = "The summary.", body = SummaryAnswer)),
)]
pub(crate) async fn get_webhook_summary(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
) -> ApiResult<Json<SummaryAnswer>> {
    Ok(Json(state.app.delivery().webhooks().summary(&caller, id).await?.into()))
}
