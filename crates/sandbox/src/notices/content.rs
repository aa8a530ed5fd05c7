//! Contents of a person's message.

use serde_json::{Value, json};

use super::error;
use super::messages::Content;

pub fn text(body: &str) -> Content {
    Content::new("text", json!({ "body": body }))
}

/// A person's file, which the business downloads by id.
#[derive(Debug, Clone)]
pub struct File {
    pub id: String,
    pub mime_type: String,
    /// Base64 of SHA-256, as the network writes it.
    pub sha256: String,
    pub caption: Option<String>,
    pub filename: Option<String>,
}

/// `kind`: `image`, `video`, `audio`, `document` or `sticker`.
pub fn media(kind: &str, file: &File) -> Content {
    let mut value = json!({ "id": file.id, "mime_type": file.mime_type, "sha256": file.sha256 });
    for (member, text) in [("caption", &file.caption), ("filename", &file.filename)] {
        if let Some(text) = text {
            value[member] = json!(text);
        }
    }
    match kind {
        "audio" => value["voice"] = json!(false),
        "sticker" => value["animated"] = json!(false),
        _ => {}
    }
    Content::new(kind, value)
}

pub fn location(latitude: f64, longitude: f64, name: Option<&str>, address: Option<&str>) -> Content {
    let mut value = json!({ "latitude": latitude, "longitude": longitude });
    for (member, text) in [("name", name), ("address", address)] {
        if let Some(text) = text {
            value[member] = json!(text);
        }
    }
    Content::new("location", value)
}

/// A reaction to a message; without an emoji, the removal of the reaction.
pub fn reaction(message_id: &str, emoji: Option<&str>) -> Content {
    let mut value = json!({ "message_id": message_id });
    if let Some(emoji) = emoji {
        value["emoji"] = json!(emoji);
    }
    Content::new("reaction", value)
}

/// The reply that a tap on a quick-reply button of a template sends.
pub fn template_button(text: &str, payload: &str) -> Content {
    Content::new("button", json!({ "text": text, "payload": payload }))
}

/// The reply that a tap on a reply button of an interactive message sends.
pub fn button_reply(id: &str, title: &str) -> Content {
    Content::new("interactive", json!({ "type": "button_reply", "button_reply": { "id": id, "title": title } }))
}

pub fn list_reply(id: &str, title: &str, description: Option<&str>) -> Content {
    let mut reply = json!({ "id": id, "title": title });
    if let Some(description) = description {
        reply["description"] = json!(description);
    }
    Content::new("interactive", json!({ "type": "list_reply", "list_reply": reply }))
}

/// The person's answers in a flow (a form of the network); the network sends `response` as JSON text.
pub fn flow_reply(response: &Value) -> Content {
    let reply = json!({ "name": "flow", "body": "Sent", "response_json": response.to_string() });
    Content::new("interactive", json!({ "type": "nfm_reply", "nfm_reply": reply }))
}

/// The person's answer to a request of the business for permission to call.
pub fn call_permission_reply(accepted: bool, expires_at_seconds: Option<i64>) -> Content {
    let mut reply = json!({ "response": if accepted { "accept" } else { "reject" }, "response_source": "user_action" });
    if let Some(seconds) = expires_at_seconds {
        reply["expiration_timestamp"] = json!(seconds.to_string());
    }
    Content::new("interactive", json!({ "type": "call_permission_reply", "call_permission_reply": reply }))
}

/// Products that a person orders from a catalog; each of `items` is
/// `{product_retailer_id, quantity, item_price, currency}`.
pub fn order(catalog_id: &str, text: &str, items: &[Value]) -> Content {
    Content::new("order", json!({ "catalog_id": catalog_id, "text": text, "product_items": items }))
}

/// Shared contact cards: `name`, `phones`, …
pub fn contacts(contacts: &[Value]) -> Content {
    Content::new("contacts", json!(contacts))
}

pub fn changed_number(name: &str, from: &str, to: &str) -> Content {
    let body = format!("User {name} changed from {from} to {to}");
    Content::new("system", json!({ "body": body, "wa_id": to, "type": "user_changed_number" }))
}

/// In place of a message whose type the network does not pass on.
pub fn unsupported() -> Content {
    let errors = json!([error(131_051, "Message type unknown", "Message type is currently not supported.")]);
    Content { kind: "unsupported".to_owned(), member: "errors".to_owned(), value: errors }
}
