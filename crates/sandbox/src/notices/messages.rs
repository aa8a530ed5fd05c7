//! Notices about messages from people.

use domain::Timestamp;
use serde_json::{Map, Value, json};

use super::{WebhookContact, insert_some, value};
use crate::{Change, NumberMetadata};

#[derive(Debug, Clone)]
pub struct Inbound {
    pub id: String,
    pub at: Timestamp,
    pub content: Content,
    /// Author and id of the message that this one replies to, as `context` builds it.
    pub context: Option<Value>,
}

/// `type` of a message, and name and value of the member with its content. The member is named like the type; for
/// `unsupported` it is `errors`.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub kind: String,
    pub member: String,
    pub value: Value,
}

impl Content {
    pub fn new(kind: &str, value: Value) -> Self {
        Self { kind: kind.to_owned(), member: kind.to_owned(), value }
    }
}

/// `context` of a reply to a message that this number sent.
pub fn context(number: &NumberMetadata, message_id: &str) -> Value {
    json!({ "from": number.display_phone_number, "id": message_id })
}

/// Element of `messages`.
pub fn message(from: &WebhookContact, message: &Inbound) -> Value {
    let mut report = Map::new();
    insert_some(&mut report, "from", from.wa_id.as_deref());
    insert_some(&mut report, "from_user_id", from.user_id.as_deref());
    insert_some(&mut report, "from_parent_user_id", from.parent_user_id.as_deref());
    report.insert("id".to_owned(), json!(message.id));
    report.insert("timestamp".to_owned(), json!(message.at.seconds().to_string()));
    report.insert("type".to_owned(), json!(message.content.kind));
    report.insert(message.content.member.clone(), message.content.value.clone());
    insert_some(&mut report, "context", message.context.clone());
    Value::Object(report)
}

pub fn inbound(number: &NumberMetadata, from: &WebhookContact, new: &Inbound) -> Change {
    Change::new("messages", value(number, Some(from), "messages", json!([message(from, new)])))
}
