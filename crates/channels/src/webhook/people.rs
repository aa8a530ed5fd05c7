//! People in notifications: the `contacts[]` of a value, which contact belongs to an item, and who sent or received
//! a message.

use serde_json::Value;

use super::Person;
use super::item::Item;
use super::object::{MAX_ID, Object, Parsed};
use super::text::cut;

/// Members of an item that contain a person's phone number or BSUID.
const PHONES: [&str; 5] = ["from", "recipient_id", "recipient_participant_id", "wa_id", "to"];
const USER_IDS: [&str; 5] =
    ["from_user_id", "recipient_user_id", "recipient_participant_user_id", "user_id", "to_user_id"];

/// Parses a contact. What is malformed counts as absent: it must not make the message next to it unreadable.
pub fn contact(value: &Value) -> Option<Person> {
    let contact = Object::new(value.as_object()?);
    let profile = contact.object("profile");
    let from_profile = |name| profile.as_ref().and_then(|profile: &Object<'_>| profile.text(name));
    Some(Person {
        wa_id: phone(contact.text("wa_id")),
        user_id: short(contact.text("user_id")),
        parent_user_id: short(contact.text("parent_user_id")),
        username: username(contact.text("username").or_else(|| from_profile("username"))),
        name: from_profile("name").map(|name| cut(&name, MAX_ID).to_owned()),
    })
}

fn short(text: Option<String>) -> Option<String> {
    text.filter(|text| text.chars().nth(MAX_ID).is_none())
}

/// Removes a leading `+`, which some senders write.
pub fn phone(text: Option<String>) -> Option<String> {
    short(text).map(|text| text.strip_prefix('+').unwrap_or(&text).to_owned()).filter(|text| !text.is_empty())
}

pub fn username(text: Option<String>) -> Option<String> {
    short(text).map(|text| text.strip_prefix('@').unwrap_or(&text).to_owned()).filter(|text| !text.is_empty())
}

/// The contact of an item: the one with the item's number or BSUID, or else the only contact, unless its number or
/// BSUID contradicts the item's.
pub fn pair<'c>(item: &Object<'_>, contacts: &'c [Person]) -> Option<&'c Person> {
    let phones: Vec<String> = PHONES.iter().filter_map(|name| phone(item.text(name))).collect();
    let ids: Vec<String> = USER_IDS.iter().filter_map(|name| item.text(name)).collect();
    let named = |keys: &[String], key: &Option<String>| key.as_ref().is_some_and(|key| keys.contains(key));
    let other = |keys: &[String], key: &Option<String>| key.is_some() && !keys.is_empty() && !named(keys, key);
    let by_id = contacts.iter().find(|contact| named(&ids, &contact.user_id));
    let by_phone = || contacts.iter().find(|contact| named(&phones, &contact.wa_id) && !other(&ids, &contact.user_id));
    by_id.or_else(by_phone).or_else(|| match contacts {
        [only] if !other(&ids, &only.user_id) && !other(&phones, &only.wa_id) => Some(only),
        _ => None,
    })
}

impl Person {
    /// Fills members that the item does not have from the contact.
    #[must_use]
    pub(super) fn filled_from(self, contact: Option<&Self>) -> Self {
        let Some(contact) = contact else { return self };
        Self {
            wa_id: self.wa_id.or_else(|| contact.wa_id.clone()),
            user_id: self.user_id.or_else(|| contact.user_id.clone()),
            parent_user_id: self.parent_user_id.or_else(|| contact.parent_user_id.clone()),
            username: self.username.or_else(|| contact.username.clone()),
            name: self.name.or_else(|| contact.name.clone()),
        }
    }

    pub(super) fn has_no_id(&self) -> bool {
        self.wa_id.is_none() && self.user_id.is_none() && self.parent_user_id.is_none()
    }
}

pub(super) fn sender(item: &Item<'_>) -> Parsed<Person> {
    let message = &item.object;
    let own = Person {
        wa_id: phone(message.id("from")?),
        user_id: message.id("from_user_id")?,
        parent_user_id: message.id("from_parent_user_id")?,
        ..Person::default()
    };
    Ok(own.filled_from(item.contact))
}

pub(super) fn is_for_group(status: &Object<'_>) -> bool {
    status.text("recipient_type").as_deref() == Some("group")
}

pub(super) fn recipient(item: &Item<'_>) -> Parsed<Person> {
    let status = &item.object;
    let (number, user, parent) = if is_for_group(status) {
        ("recipient_participant_id", "recipient_participant_user_id", "recipient_participant_parent_user_id")
    } else {
        ("recipient_id", "recipient_user_id", "recipient_parent_user_id")
    };
    let own = Person {
        wa_id: phone(status.id(number)?),
        user_id: status.id(user)?,
        parent_user_id: status.id(parent)?,
        ..Person::default()
    };
    Ok(own.filled_from(item.contact))
}
