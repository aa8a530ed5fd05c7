//! What the network says: every change of a webhook, in the network's own members. Decides nothing and stores nothing.

pub mod account;
pub mod calls;
pub mod content;
pub mod messages;
pub mod payments;
pub mod people;
pub mod statuses;

use serde_json::{Map, Value, json};
use store::sandbox::people::Person;

use crate::NumberMetadata;

/// A person as webhooks name one; an unknown number is a `WebhookContact` with nothing but the number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookContact {
    pub name: Option<String>,
    pub wa_id: Option<String>,
    pub user_id: Option<String>,
    pub parent_user_id: Option<String>,
    pub username: Option<String>,
}

impl From<&Person> for WebhookContact {
    fn from(person: &Person) -> Self {
        Self {
            name: Some(person.name.clone()),
            wa_id: person.phone.clone(),
            user_id: Some(person.bsuid.clone()),
            parent_user_id: person.parent_bsuid.clone(),
            username: person.username.clone(),
        }
    }
}

impl WebhookContact {
    /// A number that nobody has.
    pub fn number(digits: &str) -> Self {
        Self { wa_id: Some(digits.to_owned()), ..Self::default() }
    }

    /// An id that nobody has.
    pub fn user(bsuid: &str) -> Self {
        Self { user_id: Some(bsuid.to_owned()), ..Self::default() }
    }

    /// An element of `contacts`.
    pub fn contact(&self) -> Value {
        let mut profile = Map::new();
        put(&mut profile, "name", self.name.as_deref());
        put(&mut profile, "username", self.username.as_deref());
        let mut contact = Map::new();
        contact.insert("profile".to_owned(), Value::Object(profile));
        put(&mut contact, "wa_id", self.wa_id.as_deref());
        put(&mut contact, "user_id", self.user_id.as_deref());
        put(&mut contact, "parent_user_id", self.parent_user_id.as_deref());
        put(&mut contact, "username", self.username.as_deref());
        Value::Object(contact)
    }

    /// Is it somebody? An unknown number has no profile to show.
    fn is_known(&self) -> bool {
        self.name.is_some()
    }
}

/// A member that is left out when there is nothing to say.
fn put(object: &mut Map<String, Value>, member: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(member.to_owned(), value.into());
    }
}

/// A `value` about a line and, where known, a person, with one more member.
fn value(number: &NumberMetadata, who: Option<&WebhookContact>, member: &str, content: Value) -> Value {
    let mut value = Map::new();
    value.insert("messaging_product".to_owned(), json!("whatsapp"));
    value.insert("metadata".to_owned(), number.metadata());
    put(&mut value, "contacts", who.filter(|who| who.is_known()).map(|who| json!([who.contact()])));
    value.insert(member.to_owned(), content);
    Value::Object(value)
}

/// An element of `errors`.
pub fn error(code: i64, title: &str, details: &str) -> Value {
    json!({
        "code": code,
        "title": title,
        "message": title,
        "error_data": { "details": details },
        "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
    })
}
