//! A contact as V1 shows it, `wAid` and all.

use domain::contacts::{Contact, CustomParam};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactV1)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them")]
pub(crate) struct ContactShape {
    #[schema(example = "507f1f77bcf86cd799439011")]
    id: String,
    #[serde(rename = "wAid")]
    #[schema(example = "14155552671")]
    wa_id: Option<String>,
    #[schema(example = "Ada")]
    first_name: String,
    #[schema(example = "Ada Lovelace")]
    full_name: String,
    #[schema(example = "14155552671")]
    phone: Option<String>,
    #[schema(example = "API")]
    source: String,
    #[schema(example = "VALID")]
    contact_status: &'static str,
    photo: Option<String>,
    #[schema(example = "May-14-2024")]
    created: String,
    custom_params: Vec<ParamShape>,
    opted_in: bool,
    is_deleted: bool,
    #[schema(example = "2024-05-14T10:00:00.000Z")]
    last_updated: String,
    allow_broadcast: bool,
    #[serde(rename = "allowSMS")]
    allow_sms: bool,
    team_ids: Vec<String>,
    is_in_flow: bool,
    last_flow_id: Option<String>,
    current_flow_node_id: Option<String>,
    channel_id: Option<String>,
    display_id: Option<String>,
    #[schema(example = "US.13491208655302741918")]
    bsuid: String,
    #[schema(example = "US.ENT.11815799212886844830")]
    parent_bsuid: String,
    username: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CustomParam)]
pub(crate) struct ParamShape {
    #[schema(example = "city")]
    name: String,
    #[schema(example = "Berlin")]
    value: String,
}

impl From<CustomParam> for ParamShape {
    fn from(param: CustomParam) -> Self {
        Self { name: param.name, value: param.value }
    }
}

impl From<Contact> for ContactShape {
    fn from(contact: Contact) -> Self {
        Self {
            id: contact.id.to_string(),
            wa_id: contact.phone.clone(),
            first_name: contact.name.split_whitespace().next().unwrap_or_default().to_owned(),
            full_name: contact.name,
            phone: contact.phone,
            source: contact.source,
            contact_status: "VALID",
            photo: None,
            created: contact.created_at.to_legacy_date(),
            custom_params: contact.custom_params.into_iter().map(ParamShape::from).collect(),
            opted_in: contact.opted_in,
            is_deleted: false,
            last_updated: contact.updated_at.to_rfc3339(),
            allow_broadcast: contact.allow_broadcast,
            allow_sms: contact.allow_sms,
            team_ids: Vec::new(),
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
