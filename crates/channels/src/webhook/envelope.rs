//! Writes one record as a complete webhook body, so that a parked record can be shown, stored and parsed again alone.

use std::fmt::Write as _;

use domain::Timestamp;
use serde_json::{Map, Value};

use super::record::Source;
use super::{BusinessNumber, Person, Record};

impl Record {
    /// The JSON text of this record alone: an element of a list, a change or an entry.
    pub fn item(&self) -> &str {
        match &self.source {
            Source::Item { text, .. } | Source::Member { text, .. } | Source::Change(text) | Source::Entry(text) => {
                text
            }
        }
    }

    /// A complete webhook body with this record only; `parse` turns it into the same record again. The reason of a
    /// poison record then refers to this body, where every index is 0.
    pub fn envelope(&self) -> String {
        let entry = match &self.source {
            Source::Entry(text) => text.clone(),
            Source::Change(text) => self.entry(text),
            Source::Member { name, text } => self.entry(&self.change(&[(name, text)])),
            Source::Item { list, text, contact, errors } => {
                let contacts = contact.as_ref().map(|contact| format!("[{}]", contact_json(contact)));
                let items = format!("[{text}]");
                let mut members: Vec<(&str, &str)> = Vec::new();
                members.extend(contacts.as_deref().map(|contacts| ("contacts", contacts)));
                members.push((list, &items));
                members.extend(errors.as_deref().map(|errors| ("errors", errors)));
                self.entry(&self.change(&members))
            }
        };
        format!(r#"{{"object":"whatsapp_business_account","entry":[{entry}]}}"#)
    }

    fn entry(&self, change: &str) -> String {
        let id = quoted(&self.account_id);
        let time = self.at_entry.map(|at| format!(r#","time":{}"#, seconds_or_millis(at))).unwrap_or_default();
        format!(r#"{{"id":{id}{time},"changes":[{change}]}}"#)
    }

    fn change(&self, members: &[(&str, &str)]) -> String {
        let mut value = String::from(r#"{"messaging_product":"whatsapp""#);
        if let Some(number) = &self.number {
            let _ = write!(value, r#","metadata":{}"#, metadata(number));
        }
        for (name, text) in members {
            let _ = write!(value, r#","{name}":{text}"#);
        }
        format!(r#"{{"value":{value}}},"field":{}}}"#, quoted(&self.field))
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn seconds_or_millis(at: Timestamp) -> i64 {
    if at.micros() % 1_000_000 == 0 { at.seconds() } else { at.micros() / 1000 }
}

fn metadata(number: &BusinessNumber) -> Value {
    let mut object = Map::new();
    insert_some(&mut object, "display_phone_number", number.display_phone_number.as_ref());
    insert_some(&mut object, "phone_number_id", Some(&number.phone_number_id));
    Value::Object(object)
}

fn contact_json(person: &Person) -> Value {
    let (mut object, mut profile) = (Map::new(), Map::new());
    insert_some(&mut profile, "name", person.name.as_ref());
    insert_some(&mut profile, "username", person.username.as_ref());
    object.insert("profile".to_owned(), Value::Object(profile));
    insert_some(&mut object, "wa_id", person.wa_id.as_ref());
    insert_some(&mut object, "user_id", person.user_id.as_ref());
    insert_some(&mut object, "parent_user_id", person.parent_user_id.as_ref());
    Value::Object(object)
}

fn insert_some(object: &mut Map<String, Value>, name: &str, text: Option<&String>) {
    if let Some(text) = text {
        object.insert(name.to_owned(), Value::from(text.as_str()));
    }
}
