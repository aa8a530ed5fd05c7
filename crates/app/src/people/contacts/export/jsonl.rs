//! Contacts as lines of JSON.

use domain::people::contacts::ContactView;
use domain::{ContactId, push_json_line};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::people::contacts::ContactNames;

#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct ContactLine<'a> {
    id: ContactId,
    phone: Option<&'a str>,
    bsuid: &'a str,
    name: &'a str,
    opted_in: bool,
    allow_broadcast: bool,
    allow_sms: bool,
    teams: Vec<&'a str>,
    custom_params: &'a RawValue,
    parent_bsuid: &'a str,
    username: Option<&'a str>,
    source: &'a str,
    blocked: bool,
    segments: Vec<&'a str>,
    created: String,
    last_updated: String,
}

/// Adds a contact as a line of JSON Lines.
pub fn write_contact_line(out: &mut Vec<u8>, contact: &ContactView<'_>, names: &ContactNames) {
    let line = ContactLine {
        id: contact.id,
        phone: contact.phone,
        bsuid: contact.bsuid,
        name: contact.name,
        opted_in: contact.opted_in,
        allow_broadcast: contact.allow_broadcast,
        allow_sms: contact.allow_sms,
        teams: names.teams_of(contact),
        custom_params: serde_json::from_str(contact.custom_params).unwrap_or(RawValue::NULL),
        parent_bsuid: contact.parent_bsuid,
        username: contact.username,
        source: contact.source,
        blocked: contact.blocked,
        segments: names.segments.containing(contact).into_iter().map(|segment| segment.name.as_str()).collect(),
        created: contact.created_at.to_rfc3339(),
        last_updated: contact.updated_at.to_rfc3339(),
    };
    push_json_line(out, &line);
}
