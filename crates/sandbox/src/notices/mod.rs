//! Builds the `changes` elements of webhooks in the network's format. Pure: decides nothing and stores nothing.

pub mod account;
pub mod calls;
pub mod content;
pub mod messages;
pub mod payments;
pub mod people;
pub mod statuses;

use serde_json::{Map, Value, json};
use store::platform::sandbox::people::Person;

use crate::NumberMetadata;

/// A person as webhooks name one. Of a number or BSUID that belongs to no simulated person, only that member is set.
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
    /// A number that belongs to no simulated person.
    pub fn number(digits: &str) -> Self {
        Self { wa_id: Some(digits.to_owned()), ..Self::default() }
    }

    /// A BSUID that belongs to no simulated person.
    pub fn user(bsuid: &str) -> Self {
        Self { user_id: Some(bsuid.to_owned()), ..Self::default() }
    }

    /// Element of `contacts`.
    pub fn contact(&self) -> Value {
        let mut profile = Map::new();
        insert_some(&mut profile, "name", self.name.as_deref());
        insert_some(&mut profile, "username", self.username.as_deref());
        let mut contact = Map::new();
        contact.insert("profile".to_owned(), Value::Object(profile));
        insert_some(&mut contact, "wa_id", self.wa_id.as_deref());
        insert_some(&mut contact, "user_id", self.user_id.as_deref());
        insert_some(&mut contact, "parent_user_id", self.parent_user_id.as_deref());
        insert_some(&mut contact, "username", self.username.as_deref());
        Value::Object(contact)
    }

    /// Whether this is a simulated person: those have a name.
    fn is_known(&self) -> bool {
        self.name.is_some()
    }
}

/// Inserts a member unless its value is absent.
fn insert_some(object: &mut Map<String, Value>, member: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(member.to_owned(), value.into());
    }
}

/// The `value` of a change: metadata, the contact if it is a simulated person, and `content` as `member`.
fn value(number: &NumberMetadata, who: Option<&WebhookContact>, member: &str, content: Value) -> Value {
    let mut value = Map::new();
    value.insert("messaging_product".to_owned(), json!("whatsapp"));
    value.insert("metadata".to_owned(), number.metadata());
    insert_some(&mut value, "contacts", who.filter(|who| who.is_known()).map(|who| json!([who.contact()])));
    value.insert(member.to_owned(), content);
    Value::Object(value)
}

/// Element of `errors`.
pub fn error(code: i64, title: &str, details: &str) -> Value {
    json!({
        "code": code,
        "title": title,
        "message": title,
        "error_data": { "details": details },
        "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
    })
}
