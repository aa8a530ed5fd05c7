//! The wire shape of a webhook in V3: without its secret, and without the values of its headers.

use std::collections::BTreeMap;

use app::delivery::webhooks::{KEPT_VALUE, WebhookView};
use domain::WebhookId;
use domain::delivery::events::EventType;
use domain::delivery::webhooks::Secret;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookShape {
    id: WebhookId,
    #[schema(example = "https://example.com/hooks/switchboard")]
    url: String,
    #[serde(rename = "eventTypes")]
    #[schema(example = json!(["message", "sentMessageDELIVERED_v2"]))]
    event_types: Vec<&'static str>,
    /// `Enabled`, `Disabled`, or `Defective`: more than 100 attempts in a row failed, and nothing was delivered for a
    /// day. Nothing is delivered until you enable or recover the webhook.
    #[schema(example = "Enabled")]
    status: &'static str,
    /// The channel whose events are delivered. Absent for all channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Support")]
    channel: Option<String>,
    /// Whether a conversation's events are delivered one at a time, in order.
    ordered: bool,
    /// Headers sent with each delivery. Values are shown as `***`; sending `***` back keeps a value.
    #[schema(example = json!({"Authorization": "***"}))]
    headers: BTreeMap<String, &'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 256)]
    max_in_flight: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000)]
    max_per_second: Option<i64>,
    /// Why Switchboard disabled the webhook. Absent if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "the endpoint answered 410 Gone")]
    reason: Option<String>,
    /// The number of failed attempts since the last success. Absent if it is 0.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(value_type = Option<i64>, nullable = false, example = 3)]
    failed_attempts: i64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    failing_since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    last_delivered: Option<Timestamp>,
    /// After the secret is rotated: when the previous secret stops signing.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    previous_secret_until: Option<Timestamp>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_updated: Timestamp,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl From<WebhookView> for WebhookShape {
    fn from(one: WebhookView) -> Self {
        let channel_id = one.channel_id.map(|id| id.to_string());
        Self {
            id: one.id,
            url: one.url,
            event_types: one.types.iter().map(EventType::name).collect(),
            status: one.status.name(),
            channel: one.channel.map(|channel| channel.name).or(channel_id),
            ordered: one.ordered,
            headers: one.header_names.into_iter().map(|name| (name, KEPT_VALUE)).collect(),
            max_in_flight: one.max_in_flight,
            max_per_second: one.max_per_second,
            reason: one.reason,
            failed_attempts: one.health.failed_in_a_row,
            failing_since: one.health.failing_since,
            last_delivered: one.health.delivered_at,
            previous_secret_until: one.previous_secret_until,
            created: one.created_at,
            last_updated: one.updated_at,
        }
    }
}

/// A webhook with its secret, which no other response contains.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookWithSecret)]
pub(crate) struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: WebhookShape,
    /// Signs deliveries (Standard Webhooks). Returned only once.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    secret: String,
}

impl From<(WebhookView, Secret)> for WebhookWithSecret {
    fn from((shown, secret): (WebhookView, Secret)) -> Self {
        Self { webhook: shown.into(), secret: secret.to_text().to_string() }
    }
}
