//! `POST /api/ext/v3/webhooks`: registers a webhook.

use std::collections::BTreeMap;

use app::delivery::webhooks::WebhookRequest;
use domain::Change;
use domain::delivery::webhooks::Header;

use super::shape::WebhookWithSecret;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewWebhook {
    /// An `https://` URL with a public address. Within the ranges of the `webhooks.allow_private` setting, `http://` is
    /// also allowed.
    #[schema(example = "https://example.com/hooks/switchboard", max_length = 2048)]
    url: String,
    #[serde(rename = "eventTypes", alias = "event_types")]
    #[schema(example = json!(["message", "sentMessageDELIVERED_v2"]), min_items = 1)]
    event_types: Vec<String>,
    /// `Enabled` (the default) or `Disabled`.
    #[schema(example = "Enabled")]
    status: Option<String>,
    /// Only events on this channel, by name, phone number or id. Events without a channel are also delivered.
    #[schema(example = "Support")]
    channel: Option<String>,
    /// Delivers a conversation's events one at a time, in order. A failed delivery holds back the later ones.
    ordered: Option<bool>,
    /// Headers sent with each delivery, at most 20. Reserved: `host`, `connection`, `transfer-encoding`, `user-agent`,
    /// `te`, `trailer`, `upgrade`, `keep-alive`, `content-*`, `webhook-*` and `proxy-*`.
    #[schema(example = json!({"Authorization": "Bearer 7f3c"}))]
    headers: Option<BTreeMap<String, String>>,
    /// Maximum number of deliveries in flight at a time.
    #[schema(minimum = 1, maximum = 256)]
    max_in_flight: Option<i64>,
    /// Maximum number of deliveries started per second.
    #[schema(minimum = 1, maximum = 1000)]
    max_per_second: Option<i64>,
}

/// Create a webhook
///
/// Events from now on are posted to the URL, signed according to Standard Webhooks. The secret is returned only once,
/// in this response.
#[described::path(
    post,
    path = "/api/ext/v3/webhooks",
    responses(
        (status = 200, description = "The webhook with its secret.", body = WebhookWithSecret),
        (status = 404, description = "Reasons: `not_found` (the channel).", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (another webhook has this URL).", body = ErrorBody),
    ),
)]
pub(crate) async fn create_webhook(
    Gated(state, caller): Gated,
    Json(input): Json<NewWebhook>,
) -> ApiResult<Json<WebhookWithSecret>> {
    let wanted = WebhookRequest {
        url: Some(input.url),
        types: Some(input.event_types),
        status: input.status,
        channel: input.channel.map_or(Change::Keep, channel_change),
        ordered: input.ordered,
        headers: input.headers.map(to_headers),
        max_in_flight: input.max_in_flight.map_or(Change::Keep, Change::Set),
        max_per_second: input.max_per_second.map_or(Change::Keep, Change::Set),
    };
    Ok(Json(state.app.delivery().webhooks().create(&caller, &wanted).await?.into()))
}

/// An empty name means that the webhook gets the events of all channels.
pub(super) fn channel_change(channel: String) -> Change<String> {
    if channel.trim().is_empty() { Change::Clear } else { Change::Set(channel) }
}

pub(super) fn to_headers(given: BTreeMap<String, String>) -> Vec<Header> {
    given.into_iter().map(|(name, value)| Header { name, value }).collect()
}
