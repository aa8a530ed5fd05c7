//! `GET /api/ext/v3/webhooks/samples`: a sample payload for each event type.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookSamples {
    /// By event type: the JSON that a webhook receives for this type.
    #[schema(
        value_type = BTreeMap<String, Object>,
        example = json!({"call.status": {"eventType": "call.status", "call_id": "wacid.HBgLMTQxNTU1NTI2NzEVAgASGCA0RkE"}})
    )]
    samples: BTreeMap<&'static str, Box<RawValue>>,
}

/// Get sample payloads
///
/// Returns one payload for each event type, as if it happened now on your default channel. `POST /webhooks/{id}/test`
/// posts one.
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/samples",
    responses((status = 200, description = "A sample for each type.", body = WebhookSamples)),
)]
pub(crate) async fn get_webhook_samples(Gated(state, caller): Gated) -> ApiResult<Json<WebhookSamples>> {
    let all = state.app.delivery().webhooks().samples(&caller).await?;
    let payload = |text: &str| RawValue::from_string(text.to_owned()).ok();
    let samples = all.iter().filter_map(|event| Some((event.kind.name(), payload(event.payload())?))).collect();
    Ok(Json(WebhookSamples { samples }))
}
