//! The wire shape of a contact in V3: null members are omitted.

use std::borrow::Cow;

use app::people::contacts::ContactNames;
use domain::people::contacts::{Contact, ContactView, CustomParam};
use domain::{ChannelId, ContactId};
use serde_json::value::RawValue;

use crate::prelude::*;
use crate::shared::people::contacts::verbatim;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Contact)]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them")]
pub(crate) struct ContactShape<'a> {
    id: ContactId,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    wa_id: Option<&'a str>,
    #[schema(example = "Ada Lovelace")]
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    phone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    photo: Option<&'a str>,
    #[schema(example = "2026-04-24T10:00:00.000Z", format = "date-time")]
    created: String,
    #[schema(example = "2026-04-24T10:00:00.000Z", format = "date-time")]
    last_updated: String,
    #[schema(example = "active")]
    contact_status: &'static str,
    #[schema(example = "API")]
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    channel_id: Option<ChannelId>,
    opted_in: bool,
    allow_broadcast: bool,
    allow_sms: bool,
    /// The names of the contact's teams.
    #[schema(example = json!(["Support"]))]
    teams: Vec<&'a str>,
    /// The names of the segments that include the contact.
    #[schema(example = json!(["Newsletter"]))]
    segments: Vec<&'a str>,
    /// The names of the contact's labels. Absent if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["vip"]), required = false)]
    labels: Vec<&'a str>,
    #[schema(value_type = Vec<CustomParam>)]
    custom_params: &'a RawValue,
    #[schema(example = "whatsapp")]
    channel_type: &'static str,
    /// The name, or else the handle, or else the number.
    #[schema(value_type = String, example = "Ada Lovelace")]
    display_name: Cow<'a, str>,
    contact_link: ContactLink,
    is_broadcast_limit_reached: bool,
    #[schema(example = "US.13491208655302741918")]
    bsuid: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    username: Option<&'a str>,
    #[serde(rename = "parentBsuid")]
    #[schema(example = "US.ENT.11815799212886844830")]
    parent_bsuid: &'a str,
}

/// Always empty.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactLink {}

impl<'a> ContactShape<'a> {
    pub fn new(contact: &ContactView<'a>, names: &'a ContactNames) -> Self {
        Self {
            id: contact.id,
            wa_id: contact.phone,
            name: contact.name,
            phone: contact.phone,
            photo: None,
            created: contact.created_at.to_rfc3339(),
            last_updated: contact.updated_at.to_rfc3339(),
            contact_status: "active",
            source: contact.source,
            channel_id: None,
            opted_in: contact.opted_in,
            allow_broadcast: contact.allow_broadcast,
            allow_sms: contact.allow_sms,
            teams: names.teams_of(contact),
            segments: names.segments.containing(contact).into_iter().map(|segment| segment.name.as_str()).collect(),
            labels: names.labels_of(contact),
            custom_params: verbatim(contact.custom_params),
            channel_type: "whatsapp",
            display_name: display_name(contact),
            contact_link: ContactLink {},
            is_broadcast_limit_reached: false,
            bsuid: contact.bsuid,
            username: contact.username,
            parent_bsuid: contact.parent_bsuid,
        }
    }
}

fn display_name<'a>(contact: &ContactView<'a>) -> Cow<'a, str> {
    match (contact.name, contact.username) {
        ("", Some(username)) => Cow::Owned(format!("@{username}")),
        ("", None) => Cow::Borrowed(contact.phone.unwrap_or_default()),
        (name, _) => Cow::Borrowed(name),
    }
}

/// Makes a contact the whole answer.
pub(super) fn contact_response(contact: &Contact, names: &ContactNames) -> Response {
    let texts = contact.texts();
    Json(ContactShape::new(&contact.view(&texts), names)).into_response()
}
