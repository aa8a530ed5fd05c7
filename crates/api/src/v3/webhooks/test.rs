//! `POST /api/ext/v3/webhooks/{id}/test`: posts a sample event to the webhook at once.

use axum::Json;
use axum::extract::{Request, State};
use domain::DeliveryId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, parse_json, read_body};

#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = WebhookTest)]
pub(crate) struct TestWebhookRequest {
    /// One of the webhook's event types. Default: the first.
    #[schema(example = "message")]
    r#type: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTested)]
pub(crate) struct TestWebhookAnswer {
    /// The id of the delivery.
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    delivery_id: DeliveryId,
    #[schema(example = "message")]
    r#type: &'static str,
    /// Whether the answer was a 2xx.
    #[schema(example = true)]
    delivered: bool,
    /// The HTTP status of the answer; absent if there was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 200)]
    response_status: Option<u16>,
    #[schema(example = 38)]
    latency_ms: u64,
    /// The beginning of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ok")]
    response_excerpt: Option<String>,
    /// Why the delivery failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "answered 500")]
    error: Option<String>,
}

/// Test a webhook
///
/// Posts a sample event at once, signed like any other, and returns the outcome. The delivery is logged with the number
/// 0, has no effect on the webhook's health and is not retried. Works for a disabled webhook too.
#[utoipa::path(
    post,
    path = "/api/ext/v3/webhooks/{id}/test",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body = Option<TestWebhookRequest>,
    responses(
        (status = 200, description = "The outcome, also of a failed delivery.", body = TestWebhookAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (its secret was encrypted with another key).", body = ErrorBody),
    ),
)]
pub(crate) async fn test_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    request: Request,
) -> ApiResult<Json<TestWebhookAnswer>> {
    let id = webhook_id(&id)?;
    let body = read_body(request).await?;
    let input: Option<TestWebhookRequest> = if body.trim_ascii().is_empty() { None } else { parse_json(&body)? };
    let asked = input.and_then(|input| input.r#type).filter(|name| !name.trim().is_empty());
    let tested = state.app.webhooks().test(&caller, id, asked.as_deref()).await?;
    Ok(Json(TestWebhookAnswer {
        delivery_id: tested.delivery_id,
        r#type: tested.kind.name(),
        delivered: tested.delivered,
        response_status: tested.status,
        latency_ms: u64::try_from(tested.latency.as_millis()).unwrap_or(u64::MAX),
        response_excerpt: tested.excerpt,
        error: tested.error,
    }))
}
