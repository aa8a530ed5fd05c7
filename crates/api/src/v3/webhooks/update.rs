//! `PUT /api/ext/v3/webhooks/{id}`: changes a webhook; absent members stay as they are.

use std::collections::BTreeMap;

use app::webhooks::WebhookRequest;
use axum::Json;
use axum::extract::State;
use domain::Change;
use serde::Deserialize;
use utoipa::ToSchema;

use super::create::{channel_change, to_headers};
use super::shape::WebhookShape;
use super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = WebhookChange)]
pub(crate) struct UpdateWebhookRequest {
    #[schema(example = "https://example.com/hooks/switchboard", max_length = 2048)]
    url: Option<String>,
    #[serde(rename = "eventTypes", alias = "event_types")]
    #[schema(example = json!(["message", "sentMessageDELIVERED_v2"]), min_items = 1)]
    event_types: Option<Vec<String>>,
    /// `Enabled` or `Disabled`. A webhook that is enabled again receives events from then on; use `recover` for those
    /// that it missed.
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

/// Change a webhook
///
/// Absent members stay as they are.
#[utoipa::path(
    put,
    path = "/api/ext/v3/webhooks/{id}",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body = UpdateWebhookRequest,
    responses(
        (status = 200, description = "The webhook after the change, without its secret.", body = WebhookShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (another webhook has this URL).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<UpdateWebhookRequest>,
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
    Ok(Json(state.app.webhooks().update(&caller, webhook_id(&id)?, wanted).await?.into()))
}
