//! `GET /api/ext/v3/webhooks/{id}/deliveries/{delivery_id}`: one delivery with each attempt.

use std::collections::BTreeMap;

use app::webhooks::DeliveryAttempt;
use axum::Json;
use axum::extract::State;
use domain::time::as_rfc3339;
use domain::webhooks::ShownHeader;
use domain::{DeliveryId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::DeliveryPath;
use super::deliveries::{DeliveryShape, milliseconds};
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDeliveryDetails)]
pub(crate) struct DeliveryDetails {
    #[serde(flatten)]
    delivery: DeliveryShape,
    /// In the order of the attempts.
    attempt_log: Vec<AttemptShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
pub(crate) struct AttemptShape {
    /// The number of the attempt, counted from 1.
    #[schema(example = 1)]
    attempt: i64,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    at: Timestamp,
    /// The HTTP status of the answer, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 500)]
    response_status: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 38)]
    latency_ms: Option<i64>,
    /// Why the attempt failed; absent for a successful one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "answered 500")]
    error: Option<String>,
    /// The beginning of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "oops")]
    response_excerpt: Option<String>,
    /// True for an attempt that a client or a recovery asked for, absent for one that follows from the schedule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(value_type = Option<bool>, nullable = false, example = true)]
    redelivery: bool,
    /// The headers that were sent. Values of your own headers are hidden as `***`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false, example = json!({"webhook-id": "69eb4e9a1f0c2d3e4a5b6c7d", "webhook-timestamp": "1777024800"}))]
    request_headers: BTreeMap<String, String>,
    /// The headers of the answer, the first 1 KiB of them. Values that may be credentials are hidden as `***`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false, example = json!({"content-type": "text/plain"}))]
    response_headers: BTreeMap<String, String>,
}

impl AttemptShape {
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
            response_excerpt: one.excerpt,
        }
    }
}

/// Joins several values of one name with commas, as HTTP allows.
fn joined(headers: Vec<ShownHeader>) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for ShownHeader { name, value } in headers {
        all.entry(name).and_modify(|known| *known = format!("{known}, {value}")).or_insert(value);
    }
    all
}

/// Get one delivery
#[utoipa::path(
    get,
    path = "/api/ext/v3/webhooks/{id}/deliveries/{delivery_id}",
    tag = "webhooks",
    params(
        ("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
        ("delivery_id" = String, Path, description = "The event's id.", example = "69eb4e9a1f0c2d3e4a5b6c7e"),
    ),
    responses(
        (status = 200, description = "The delivery with each attempt.", body = DeliveryDetails),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_webhook_delivery(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<DeliveryPath>,
) -> ApiResult<Json<DeliveryDetails>> {
    let (webhook, id) = path.ids()?;
    let found = state.app.webhooks().delivery(&caller, webhook, id).await?;
    let attempt_log = found.attempts.into_iter().map(|one| AttemptShape::new(id, one)).collect();
    Ok(Json(DeliveryDetails { delivery: found.delivery.into(), attempt_log }))
}
