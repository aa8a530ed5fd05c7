//! `POST /api/ext/v3/webhooks/{id}/test`: posts a sample event to the webhook immediately.

use axum::extract::Request;
use domain::delivery::webhooks::AttemptErrorCode;
use domain::{DeliveryId, WebhookId};

use crate::input::{parse_json, read_body};
use crate::prelude::*;

#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct WebhookTest {
    /// One of the webhook's event types. Default: the first.
    #[schema(example = "message")]
    r#type: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookTested {
    /// The delivery's id.
    delivery_id: DeliveryId,
    #[schema(example = "message")]
    r#type: &'static str,
    /// Whether the response had a 2xx status.
    #[schema(example = true)]
    delivered: bool,
    /// The HTTP status of the response. Absent if there was no response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 200)]
    response_status: Option<u16>,
    #[schema(example = 38)]
    latency_ms: u64,
    /// The beginning of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "ok")]
    response_excerpt: Option<String>,
    /// Why the delivery failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "answered 500")]
    error: Option<String>,
    /// A code for `error`, one of those of an attempt's `error_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "status")]
    error_code: Option<&'static str>,
}

/// Test a webhook
///
/// Posts a sample event immediately, signed like any other, and returns the result. The delivery is logged with the
/// number 0, does not affect the webhook's health and is not retried. Also works for a disabled webhook.
#[described::path(
    post,
    path = "/api/ext/v3/webhooks/{id}/test",
    request_body = Option<WebhookTest>,
    responses(
        (status = 200, description = "The result, even if the delivery failed.", body = WebhookTested),
        (
            status = 409,
            description = "Reasons: `conflict` (the webhook's secret was encrypted with another key).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn test_webhook(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
    request: Request,
) -> ApiResult<Json<WebhookTested>> {
    let body = read_body(request).await?;
    let input: Option<WebhookTest> = if body.trim_ascii().is_empty() { None } else { parse_json(&body)? };
    let asked = input.and_then(|input| input.r#type).filter(|name| !name.trim().is_empty());
    let tested = state.app.delivery().webhooks().test(&caller, id, asked.as_deref()).await?;
    Ok(Json(WebhookTested {
        delivery_id: tested.delivery_id,
        r#type: tested.kind.name(),
        delivered: tested.delivered,
        response_status: tested.status,
        latency_ms: u64::try_from(tested.latency.as_millis()).unwrap_or(u64::MAX),
        response_excerpt: tested.excerpt,
        error: tested.error,
        error_code: tested.error_code.map(AttemptErrorCode::name),
    }))
}
