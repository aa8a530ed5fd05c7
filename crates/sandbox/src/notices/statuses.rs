//! Notices about statuses of the business's messages: sent, delivered, read, failed.

use domain::Timestamp;
use serde_json::{Map, Value, json};

use super::{WebhookContact, insert_some, value};
use crate::{Change, NumberMetadata};

/// Members that all statuses of one message share.
#[derive(Debug, Clone)]
pub struct Sent {
    pub id: String,
    pub recipient: WebhookContact,
    /// Pricing category: `marketing`, `utility`, `authentication`, `service`.
    pub category: String,
    /// The network's conversation id.
    pub conversation_id: String,
    pub callback_data: Option<String>,
}

const DAY: i64 = 86_400;

pub fn sent(number: &NumberMetadata, message: &Sent, at: Timestamp) -> Change {
    let mut status = charged(message, "sent", at);
    let expires = at.plus_seconds(DAY).seconds().to_string();
    if let Some(Value::Object(conversation)) = status.get_mut("conversation") {
        conversation.insert("expiration_timestamp".to_owned(), expires.into());
    }
    change(number, message, &status)
}

pub fn delivered(number: &NumberMetadata, message: &Sent, at: Timestamp) -> Change {
    change(number, message, &charged(message, "delivered", at))
}

pub fn read(number: &NumberMetadata, message: &Sent, at: Timestamp) -> Change {
    change(number, message, &bare(message, "read", at))
}

/// Notice that a message failed; each of `errors` is built by `notices::error`.
pub fn failed(number: &NumberMetadata, message: &Sent, at: Timestamp, errors: Vec<Value>) -> Change {
    let mut status = bare(message, "failed", at);
    status.insert("errors".to_owned(), Value::Array(errors));
    change(number, message, &status)
}

fn change(number: &NumberMetadata, message: &Sent, status: &Map<String, Value>) -> Change {
    Change::new("messages", value(number, Some(&message.recipient), "statuses", json!([status])))
}

fn bare(message: &Sent, status: &str, at: Timestamp) -> Map<String, Value> {
    let mut report = Map::new();
    report.insert("id".to_owned(), json!(message.id));
    report.insert("status".to_owned(), json!(status));
    report.insert("timestamp".to_owned(), json!(at.seconds().to_string()));
    to(&mut report, &message.recipient);
    insert_some(&mut report, "biz_opaque_callback_data", message.callback_data.as_deref());
    report
}

/// Adds the members that name the recipient. Without a phone number there is no `recipient_id`.
pub(super) fn to(report: &mut Map<String, Value>, recipient: &WebhookContact) {
    insert_some(report, "recipient_id", recipient.wa_id.as_deref());
    insert_some(report, "recipient_user_id", recipient.user_id.as_deref());
    insert_some(report, "recipient_parent_user_id", recipient.parent_user_id.as_deref());
}

fn charged(message: &Sent, status: &str, at: Timestamp) -> Map<String, Value> {
    let mut report = bare(message, status, at);
    let service = message.category == "service";
    let kind = if service { "free_customer_service" } else { "regular" };
    report.insert(
        "conversation".to_owned(),
        json!({ "id": message.conversation_id, "origin": { "type": message.category } }),
    );
    report.insert(
        "pricing".to_owned(),
        json!({ "billable": !service, "pricing_model": "PMP", "category": message.category, "type": kind }),
    );
    report
}
