//! `GET /api/ext/v3/webhooks/{id}/deliveries/{delivery_id}`: one delivery with each attempt.

use std::collections::BTreeMap;

use app::delivery::webhooks::DeliveryAttempt;
use domain::delivery::webhooks::{AttemptErrorCode, HeaderView};
use domain::{DeliveryId, WebhookId};

use super::deliveries::{WebhookDelivery, milliseconds};
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookDeliveryDetails {
    #[serde(flatten)]
    delivery: WebhookDelivery,
    /// All attempts, in order.
    attempt_log: Vec<WebhookAttempt>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookAttempt {
    /// The attempt's number, starting at 1.
    #[schema(example = 1)]
    attempt: i64,
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
    /// The HTTP status of the response, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 500)]
    response_status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 38)]
    latency_ms: Option<i64>,
    /// Why the attempt failed. Absent if it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "answered 500")]
    error: Option<String>,
    /// A code for `error`: `status`, `redirect`, `gone`, `timeout`, `not_resolved`, `refused`, `unreachable`, `tls`,
    /// `not_connected`, `closed`, `not_http`, `not_allowed` or `other`. Absent if the attempt succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "status")]
    error_code: Option<&'static str>,
    /// The beginning of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "oops")]
    response_excerpt: Option<String>,
    /// True for an attempt that a client or a recovery requested; absent for a scheduled one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(value_type = Option<bool>, nullable = false, example = true)]
    redelivery: bool,
    /// The headers that were sent. The values of your own headers are shown as `***`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false, example = json!({"webhook-id": "69eb4e9a1f0c2d3e4a5b6c7d", "webhook-timestamp": "1777024800"}))]
    request_headers: BTreeMap<String, String>,
    /// The first 1 KiB of the response headers. Values that may be credentials are shown as `***`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false, example = json!({"content-type": "text/plain"}))]
    response_headers: BTreeMap<String, String>,
}

impl WebhookAttempt {
    fn new(id: DeliveryId, one: DeliveryAttempt) -> Self {
        let trace = one.trace.unwrap_or_default();
        let is_known = !trace.signature.is_empty();
        let request = if is_known { trace.request_headers(id, one.at) } else { Vec::new() };
        Self {
            redelivery: trace.redelivery,
            request_headers: joined(request),
            response_headers: joined(trace.response_headers()),
            attempt: one.attempt,
            at: one.at,
            response_status: one.status,
            latency_ms: one.latency.map(milliseconds),
            error: one.error,
            error_code: one.error_code.map(AttemptErrorCode::name),
            response_excerpt: one.excerpt,
        }
    }
}

/// Joins several values of one name with commas, as HTTP allows.
fn joined(headers: Vec<HeaderView>) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for HeaderView { name, value } in headers {
        all.entry(name).and_modify(|known| *known = format!("{known}, {value}")).or_insert(value);
    }
    all
}

/// Get a delivery
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/deliveries/{delivery_id}",
    responses((status = 200, description = "The delivery with each attempt.", body = WebhookDeliveryDetails)),
)]
pub(crate) async fn get_webhook_delivery(
    Gated(state, caller): Gated,
    Path((webhook, id)): Path<(WebhookId, DeliveryId)>,
) -> ApiResult<Json<WebhookDeliveryDetails>> {
    let found = state.app.delivery().webhooks().delivery(&caller, webhook, id).await?;
    let attempt_log = found.attempts.into_iter().map(|one| WebhookAttempt::new(id, one)).collect();
    Ok(Json(WebhookDeliveryDetails { delivery: found.delivery.into(), attempt_log }))
}
