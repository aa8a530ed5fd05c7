//! `PUT /api/ext/v3/webhooks/{id}`: updates a webhook; omitted members keep their values.

use std::collections::BTreeMap;

use app::delivery::webhooks::WebhookRequest;
use domain::{Change, WebhookId};

use super::create::{channel_change, to_headers};
use super::shape::WebhookShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct WebhookChange {
    #[schema(example = "https://example.com/hooks/switchboard", max_length = 2048)]
    url: Option<String>,
    #[serde(rename = "eventTypes", alias = "event_types")]
    #[schema(example = json!(["message", "sentMessageDELIVERED_v2"]), min_items = 1)]
    event_types: Option<Vec<String>>,
    /// `Enabled` or `Disabled`. A webhook that is enabled again receives events from then on; use `recover` for those
    /// it missed.
    #[schema(example = "Enabled")]
    status: Option<String>,
    /// A channel's name, phone number or id; null for all channels.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "Support")]
    channel: Change<String>,
    ordered: Option<bool>,
    /// Replaces all headers; the value `***` keeps the current one.
    #[schema(example = json!({"Authorization": "***"}))]
    headers: Option<BTreeMap<String, String>>,
    /// Null for the server's default.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 256)]
    max_in_flight: Change<i64>,
    /// Null for no limit.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 1000)]
    max_per_second: Change<i64>,
}

/// Update a webhook
///
/// Omitted members keep their values.
#[described::path(
    put,
    path = "/api/ext/v3/webhooks/{id}",
    responses(
        (status = 200, description = "The updated webhook, without its secret.", body = WebhookShape),
        (status = 409, description = "Reasons: `conflict` (another webhook has this URL).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_webhook(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
    Json(input): Json<WebhookChange>,
) -> ApiResult<Json<WebhookShape>> {
    let channel = match input.channel {
        Change::Set(name) => channel_change(name),
        other => other,
    };
    let wanted = WebhookRequest {
        url: input.url,
        types: input.event_types,
        status: input.status,
        channel,
        ordered: input.ordered,
        headers: input.headers.map(to_headers),
        max_in_flight: input.max_in_flight,
        max_per_second: input.max_per_second,
    };
    Ok(Json(state.app.delivery().webhooks().update(&caller, id, wanted).await?.into()))
}
