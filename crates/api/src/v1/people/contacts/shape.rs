//! The wire shape of a contact in V1.

use domain::people::contacts::{Contact, ContactView, CustomParam, OWN_NAME, OWN_PHONE, without_own};
use domain::{ContactId, TeamId};
use serde_json::value::RawValue;

use crate::prelude::*;
use crate::v1::failure::Failure;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactV1)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them")]
pub(crate) struct ContactShape<'a> {
    id: ContactId,
    #[serde(rename = "wAid")]
    #[schema(example = "14155552671")]
    wa_id: Option<&'a str>,
    #[schema(example = "Ada")]
    first_name: &'a str,
    #[schema(example = "Ada Lovelace")]
    full_name: &'a str,
    #[schema(example = "14155552671")]
    phone: Option<&'a str>,
    #[schema(example = "API")]
    source: &'a str,
    #[schema(example = "VALID")]
    contact_status: &'static str,
    photo: Option<String>,
    #[schema(example = "May-14-2024")]
    created: String,
    /// Starts with the contact's own `name` and `phone`.
    #[schema(value_type = Vec<CustomParam>)]
    custom_params: Box<RawValue>,
    opted_in: bool,
    is_deleted: bool,
    #[schema(example = "2024-05-14T10:00:00.000Z")]
    last_updated: String,
    allow_broadcast: bool,
    #[serde(rename = "allowSMS")]
    allow_sms: bool,
    team_ids: Vec<TeamId>,
    is_in_flow: bool,
    last_flow_id: Option<String>,
    current_flow_node_id: Option<String>,
    channel_id: Option<String>,
    display_id: Option<String>,
    #[schema(example = "US.13491208655302741918")]
    bsuid: &'a str,
    #[schema(example = "US.ENT.11815799212886844830")]
    parent_bsuid: &'a str,
    username: Option<&'a str>,
}

impl<'a> From<&ContactView<'a>> for ContactShape<'a> {
    fn from(contact: &ContactView<'a>) -> Self {
        let name = shown_name(contact);
        Self {
            id: contact.id,
            wa_id: contact.phone,
            first_name: name.split_whitespace().next().unwrap_or_default(),
            full_name: name,
            phone: contact.phone,
            source: contact.source,
            contact_status: "VALID",
            photo: None,
            created: contact.created_at.to_legacy_date(),
            custom_params: listed_params(name, contact),
            opted_in: contact.opted_in,
            is_deleted: false,
            last_updated: contact.updated_at.to_rfc3339(),
            allow_broadcast: contact.allow_broadcast,
            allow_sms: contact.allow_sms,
            team_ids: contact.teams().into_iter().map(|team| team.id).collect(),
            is_in_flow: false,
            last_flow_id: None,
            current_flow_node_id: None,
            channel_id: None,
            display_id: None,
            bsuid: contact.bsuid,
            parent_bsuid: contact.parent_bsuid,
            username: contact.username,
        }
    }
}

/// The contact's name, or its number if it has no name.
fn shown_name<'a>(contact: &ContactView<'a>) -> &'a str {
    if contact.name.trim().is_empty() { contact.phone.unwrap_or(contact.name) } else { contact.name }
}

#[derive(Debug, Serialize)]
struct OwnParam<'a> {
    name: &'a str,
    value: &'a str,
}

/// The contact's own name and number, then its attributes. Attributes with the names of these two are left out. If
/// there are none of those, the stored JSON text is copied without parsing.
fn listed_params(name: &str, contact: &ContactView<'_>) -> Box<RawValue> {
    let own = [(OWN_NAME, name), (OWN_PHONE, contact.phone.unwrap_or_default())];
    let mut text = domain::to_json(&own.map(|(name, value)| OwnParam { name, value }));
    let hidden = own.iter().any(|(name, _)| contact.custom_params.contains(&format!("\"{name}\"")));
    let rest = if hidden {
        let (_, attributes) = without_own(contact.custom_params());
        domain::to_json(&attributes)
    } else {
        contact.custom_params.to_owned()
    };
    if let Some(rest) = rest.strip_prefix('[').filter(|rest| *rest != "]") {
        text.pop();
        text.push(',');
        text.push_str(rest);
    }
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactDone)]
pub(crate) struct ContactDone<'a> {
    #[schema(example = true)]
    result: bool,
    contact: ContactShape<'a>,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ContactAnswer<'a> {
    Done(Box<ContactDone<'a>>),
    Failure(Failure),
}

/// `{"result": true, "contact": {}}`, or the failure.
pub(super) fn contact_answer(outcome: app::Result<Contact>) -> ApiResult<Response> {
    let contact = match outcome {
        Ok(contact) => contact,
        Err(error) => return Ok(Json(ContactAnswer::Failure(Failure::from_error(error)?)).into_response()),
    };
    let texts = contact.texts();
    let done = ContactDone { result: true, contact: ContactShape::from(&contact.view(&texts)) };
    Ok(Json(ContactAnswer::Done(Box::new(done))).into_response())
}
