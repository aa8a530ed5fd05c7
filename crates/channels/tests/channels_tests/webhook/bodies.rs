//! Builds the bodies of webhooks for tests.

use serde_json::{Value, json};

pub fn text_message(id: &str) -> Value {
    json!({"from": "14155552671", "id": id, "timestamp": "1776160861", "type": "text", "text": {"body": "Hello"}})
}

pub fn change(field: &str, value: &Value) -> Value {
    json!({"object": "whatsapp_business_account", "entry": [{"id": "330440550660770", "changes": [
        {"field": field, "value": value},
    ]}]})
}

/// A body with these messages and contacts.
pub fn messages(messages: &[Value], contacts: &Value) -> Value {
    let metadata = json!({"display_phone_number": "14155550100", "phone_number_id": "500100200300400"});
    let value = json!({"messaging_product": "whatsapp", "metadata": metadata, "contacts": contacts,
        "messages": messages});
    change("messages", &value)
}
