//! `GET /api/ext/v3/webhooks/event-types`: the event types that a webhook can receive.

use domain::delivery::events::EventType;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookEventTypes {
    #[serde(rename = "eventTypes")]
    #[schema(example = json!(["message", "message_bsuid", "call.status"]))]
    event_types: Vec<&'static str>,
}

/// Get event types
///
/// Returns all types for webhooks and `GET /events`. A type that ends in `_bsuid` has the same content as the type
/// without the suffix, but is keyed by the person's BSUID.
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/event-types",
    responses((status = 200, description = "All types.", body = WebhookEventTypes)),
)]
pub(crate) async fn get_webhook_event_types() -> Json<WebhookEventTypes> {
    Json(WebhookEventTypes { event_types: EventType::for_webhooks().map(EventType::name).collect() })
}
