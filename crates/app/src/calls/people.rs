//! Adds the contacts' names to the JSON texts of calls. A stored call has only what was known when it took place.

use domain::ContactId;
use serde::{Deserialize, Serialize};
use store::people::contacts::PersonNames;

use super::Calls;
use crate::{Principal, Result};

/// The member of a call that identifies its contact.
#[derive(Deserialize)]
struct CallContact {
    contact_id: Option<ContactId>,
}

/// The members that are added to a call.
#[derive(Serialize)]
struct CallPerson<'a> {
    #[serde(rename = "contact_name")]
    name: &'a str,
    #[serde(rename = "contact_username", skip_serializing_if = "Option::is_none")]
    username: Option<&'a str>,
    #[serde(rename = "contact_phone", skip_serializing_if = "Option::is_none")]
    phone: Option<&'a str>,
}

#[boxed::futures]
impl Calls {
    /// Adds the current name, handle and number of each call's contact to the JSON texts. One look-up serves all
    /// calls.
    pub async fn with_people(&self, principal: &Principal, mut calls: Vec<String>) -> Result<Vec<String>> {
        let contacts: Vec<Option<ContactId>> = calls.iter().map(|call| contact_of(call)).collect();
        let mut ids: Vec<ContactId> = contacts.iter().flatten().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let names = store::people::contacts::names(self.db(), principal.tenant(), &ids).await?;
        for (call, contact) in calls.iter_mut().zip(contacts) {
            if let Some(person) = contact.and_then(|id| names.get(&id)) {
                add_person(call, person);
            }
        }
        Ok(calls)
    }
}

fn contact_of(call: &str) -> Option<ContactId> {
    serde_json::from_str::<CallContact>(call).ok()?.contact_id
}

/// Inserts the members before the closing brace of the call's JSON object.
fn add_person(call: &mut String, person: &PersonNames) {
    let added = domain::to_json(&CallPerson {
        name: &person.name,
        username: person.username.as_deref(),
        phone: person.phone.as_deref(),
    });
    if call.ends_with('}') {
        call.pop();
        call.push(',');
        call.push_str(added.trim_start_matches('{'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_gets_the_names_of_its_contact() {
        let mut call = r#"{"id":"69eb4e9a1f0c2d3e4a5b6c7d","contact_id":"507f1f77bcf86cd799439011"}"#.to_owned();
        assert_eq!(contact_of(&call).map(|id| id.to_string()).as_deref(), Some("507f1f77bcf86cd799439011"));
        let person =
            PersonNames { name: "Ada \"{\"".to_owned(), username: None, phone: Some("14155550132".to_owned()) };
        add_person(&mut call, &person);
        let read: serde_json::Value = serde_json::from_str(&call).unwrap();
        assert_eq!(read["contact_name"], "Ada \"{\"");
        assert_eq!(read["contact_phone"], "14155550132");
        assert_eq!(read["contact_id"], "507f1f77bcf86cd799439011");
        assert!(read.get("contact_username").is_none());
        assert_eq!(contact_of(r#"{"id":"69eb4e9a1f0c2d3e4a5b6c7d"}"#), None);
    }
}
