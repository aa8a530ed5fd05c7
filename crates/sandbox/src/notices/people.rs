//! Notices about people: changed ids, marketing preferences, link clicks.

use domain::Timestamp;
use serde_json::{Map, Value, json};

use super::{WebhookContact, insert_some, value};
use crate::{Change, NumberMetadata};

/// Notice that a person's ids changed from `before` to `now`.
pub fn user_id_update(number: &NumberMetadata, now: &WebhookContact, before: &WebhookContact, at: Timestamp) -> Change {
    let ids = |previous: &Option<String>, current: &Option<String>| {
        (previous != current).then(|| json!({ "previous": previous, "current": current }))
    };
    let mut update = Map::new();
    insert_some(&mut update, "wa_id", now.wa_id.as_deref());
    insert_some(&mut update, "user_id", ids(&before.user_id, &now.user_id));
    insert_some(&mut update, "parent_user_id", ids(&before.parent_user_id, &now.parent_user_id));
    update.insert("detail".to_owned(), json!("User ID of the user changed"));
    update.insert("timestamp".to_owned(), json!(at.seconds().to_string()));
    Change::new("user_id_update", value(number, Some(now), "user_id_update", json!([update])))
}

/// Notice that a person stopped or resumed marketing messages.
pub fn marketing_preference(number: &NumberMetadata, person: &WebhookContact, allowed: bool, at: Timestamp) -> Change {
    let (detail, wanted) = if allowed {
        ("User requested to resume marketing messages", "resume")
    } else {
        ("User requested to stop marketing messages", "stop")
    };
    let mut preference = Map::new();
    insert_some(&mut preference, "wa_id", person.wa_id.as_deref());
    insert_some(&mut preference, "user_id", person.user_id.as_deref());
    preference.insert("detail".to_owned(), json!(detail));
    preference.insert("category".to_owned(), json!("marketing_messages"));
    preference.insert("value".to_owned(), json!(wanted));
    preference.insert("timestamp".to_owned(), json!(at.seconds()));
    Change::new("user_preferences", value(number, Some(person), "user_preferences", json!([preference])))
}

/// Notice that a person followed a link of a marketing message.
pub fn link_click(
    number: &NumberMetadata,
    person: &WebhookContact,
    message_id: &str,
    click_id: &str,
    at: Timestamp,
) -> Change {
    let mut action = Map::new();
    action.insert("action_type".to_owned(), json!("marketing_messages_link_click"));
    action.insert("timestamp".to_owned(), json!(at.seconds().to_string()));
    insert_some(&mut action, "wa_id", person.wa_id.as_deref());
    insert_some(&mut action, "user_id", person.user_id.as_deref());
    action.insert("message_id".to_owned(), Value::from(message_id));
    action.insert(
        "marketing_messages_link_click_data".to_owned(),
        json!({ "click_component": "cta", "click_id": click_id, "tracking_token": click_id }),
    );
    Change::new("messages", value(number, Some(person), "user_actions", json!([action])))
}
