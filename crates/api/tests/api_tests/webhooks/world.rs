//! Webhooks and events of a tenant.

use domain::delivery::events::EventTypes;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::OnWorld;

pub const WEBHOOKS: &str = "/api/ext/v3/webhooks";
pub const EVENTS: &str = "/api/ext/v3/events";
pub const URL: &str = "https://example.com/hook";

pub trait Webhooks: OnWorld {
    /// Creates a webhook for `message` and `call.status`, with further members of the request in `more`.
    async fn webhook(self, url: &str, more: Value) -> Value {
        let mut body = json!({"url": url, "eventTypes": ["message", "call.status"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.good(WEBHOOKS, &body).await
    }

    /// Records a call, which appends one event, and numbers the log.
    async fn record_call(self, n: u32) {
        let body = json!({
            "call_id": format!("pbx-{n}"), "direction": "inbound", "from_number": "14155552671",
            "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        self.good("/api/ext/v3/calls", &body).await;
        self.events(EventTypes::all()).await;
    }
}

impl Webhooks for &World {}

/// Replaces values that differ from run to run.
pub fn normalized(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(normalized_text(text)),
        Value::Array(list) => list.iter().map(normalized).collect(),
        Value::Object(members) => {
            let normalize = |(name, value): (&String, &Value)| {
                let value = match name.as_str() {
                    "latency_ms" => json!(0),
                    "timestamp" | "webhook-timestamp" => json!("[seconds]"),
                    "webhook-signature" => json!("[signature]"),
                    "date" => json!("[date]"),
                    "user-agent" => json!("[version]"),
                    _ => normalized(value),
                };
                (name.clone(), value)
            };
            Value::Object(members.iter().map(normalize).collect())
        }
        other => other.clone(),
    }
}

fn normalized_text(text: &str) -> String {
    let is_id = text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text {
        _ if is_id => "[id]".to_owned(),
        _ if text.starts_with("whsec_") => "[secret]".to_owned(),
        _ if text.starts_with("http://127.0.0.1:") => "[receiver]".to_owned(),
        _ if text.ends_with('Z') && domain::base::time::Moment::parse(text).is_ok() => "[time]".to_owned(),
        _ => text.to_owned(),
    }
}

macro_rules! golden {
    ($name:literal, $value:expr) => {
        insta::allow_duplicates! { insta::assert_json_snapshot!($name, crate::webhooks::world::normalized(&$value)); }
    };
}
pub(crate) use golden;
