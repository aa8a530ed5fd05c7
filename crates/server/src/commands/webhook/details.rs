//! The JSON and text forms of a webhook.

use domain::base::time::{as_optional_rfc3339, as_rfc3339};
use domain::delivery::events::EventType;
use domain::delivery::webhooks::Secret;
use domain::{Timestamp, WebhookId};
use serde::Serialize;

use crate::commands::Context;
use crate::output::{self, Table, visible};

pub const ONE: &str = "\
With --json: {\"id\", \"url\", \"event_types\", \"status\", \"channel\", \"ordered\", \"headers\", \"max_in_flight\", \"max_per_second\",
\"reason\", \"failed_attempts\", \"failing_since\", \"last_delivered\", \"previous_secret_until\", \"created_at\", \"updated_at\"}; headers
lists only the names, and status is Enabled, Disabled or Defective.";

#[derive(Serialize)]
pub struct WebhookDetails {
    pub id: WebhookId,
    url: String,
    event_types: Vec<&'static str>,
    status: &'static str,
    /// Null when the webhook receives the events of all channels.
    channel: Option<String>,
    ordered: bool,
    headers: Vec<String>,
    max_in_flight: Option<i64>,
    max_per_second: Option<i64>,
    reason: Option<String>,
    failed_attempts: i64,
    #[serde(serialize_with = "as_optional_rfc3339")]
    failing_since: Option<Timestamp>,
    #[serde(serialize_with = "as_optional_rfc3339")]
    last_delivered: Option<Timestamp>,
    #[serde(serialize_with = "as_optional_rfc3339")]
    previous_secret_until: Option<Timestamp>,
    #[serde(serialize_with = "as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    updated_at: Timestamp,
}

/// A webhook with its secret, which is printed only once.
#[derive(Serialize)]
pub struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: WebhookDetails,
    secret: String,
}

impl From<app::delivery::webhooks::WebhookView> for WebhookDetails {
    fn from(one: app::delivery::webhooks::WebhookView) -> Self {
        let channel_id = one.channel_id.map(|id| id.to_string());
        Self {
            id: one.id,
            url: one.url,
            event_types: one.types.iter().map(EventType::name).collect(),
            status: one.status.name(),
            channel: one.channel.map(|channel| channel.name).or(channel_id),
            ordered: one.ordered,
            headers: one.header_names,
            max_in_flight: one.max_in_flight,
            max_per_second: one.max_per_second,
            reason: one.reason,
            failed_attempts: one.health.failed_in_a_row,
            failing_since: one.health.failing_since,
            last_delivered: one.health.delivered_at,
            previous_secret_until: one.previous_secret_until,
            created_at: one.created_at,
            updated_at: one.updated_at,
        }
    }
}

impl From<(app::delivery::webhooks::WebhookView, Secret)> for WebhookWithSecret {
    fn from((shown, secret): (app::delivery::webhooks::WebhookView, Secret)) -> Self {
        Self { webhook: shown.into(), secret: secret.to_text().to_string() }
    }
}

impl WebhookWithSecret {
    pub fn to_text(&self) -> String {
        format!("{}\nsecret:     {}", self.webhook.to_text(), self.secret)
    }
}

impl WebhookDetails {
    pub fn to_text(&self) -> String {
        let when = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339);
        let lines = [
            ("id", Some(self.id.to_string())),
            ("url", Some(self.url.clone())),
            ("types", Some(self.event_types.join(", "))),
            ("status", Some(self.status.to_owned())),
            ("reason", self.reason.clone()),
            ("channel", self.channel.clone()),
            ("ordered", self.ordered.then(|| "yes".to_owned())),
            ("headers", Some(self.headers.join(", ")).filter(|names| !names.is_empty())),
            ("in flight", self.max_in_flight.map(|most| most.to_string())),
            ("per second", self.max_per_second.map(|most| most.to_string())),
            ("failures", Some(self.failed_attempts).filter(|many| *many > 0).map(|many| many.to_string())),
            ("delivered", when(self.last_delivered)),
        ];
        let present = lines.into_iter().filter_map(|(name, value)| Some((name, value?)));
        present
            .map(|(name, value)| format!("{:<12}{}", format!("{name}:"), visible(&value)))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

pub fn table(all: &[WebhookDetails]) -> String {
    let mut table = Table::new(&["id", "url", "status", "types", "channel", "failures", "delivered"]);
    for one in all {
        table.row([
            one.id.to_string(),
            one.url.clone(),
            one.status.to_owned(),
            one.event_types.len().to_string(),
            one.channel.clone().unwrap_or_default(),
            one.failed_attempts.to_string(),
            one.last_delivered.map(Timestamp::to_rfc3339).unwrap_or_default(),
        ]);
    }
    table.to_text()
}

pub(super) fn print_secret(context: &Context, made: &WebhookWithSecret) -> anyhow::Result<()> {
    context.output.print(made, || made.to_text())?;
    output::print_notice("The secret is shown only once: save it now.");
    Ok(())
}
