//! `POST /{tenantId}/api/v1/updateContactAttributesForMultiContacts`: changes all contacts or none.

use app::people::contacts::AttributeUpdate;
use domain::Field;
use domain::people::contacts::Contact;

use super::shape::ContactShape;
use crate::input::{LegacyInput, NamedPerson, Scalar, required};
use crate::prelude::*;
use crate::shared::people::contacts::{AttributeInput, to_attributes};
use crate::v1::failure::Failure;

const MAX_CONTACTS: usize = 1000;

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = AttributesOfManyV1)]
    pub(crate) struct UpdateContactsRequest from LegacyInput {
        #[schema(min_items = 1, max_items = 1000)]
        contacts: Vec<ContactAttributes> = required_json["contacts"](),
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AttributesOfOneV1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContactAttributes {
    /// A phone number with country code; the `+` is optional.
    #[schema(value_type = Option<String>, example = "14155552671")]
    whatsapp_number: Option<Scalar>,
    /// A phone number, a contact id or a BSUID. Takes precedence over `whatsappNumber`.
    #[schema(value_type = Option<String>)]
    target: Option<Scalar>,
    custom_params: Option<Vec<AttributeInput>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UpdatedContactsV1)]
pub(crate) struct UpdatedContacts<'a> {
    #[schema(example = true)]
    result: bool,
    contact_list: Vec<ContactShape<'a>>,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum UpdatedContactsAnswer<'a> {
    Updated(UpdatedContacts<'a>),
    Failure(Failure),
}

/// Update the attributes of many contacts
///
/// Updates 1 to 1000 contacts. Either all of them are updated or none, and `info` says which one failed.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/updateContactAttributesForMultiContacts",
    tag = "contacts",
    request_body(content = UpdateContactsRequest, content_type = "application/json"),
    responses((
        status = 200,
        description = "The contacts in the order of the request, or why the request failed.",
        body = UpdatedContactsAnswer
    )),
)]
pub(crate) async fn update_contact_attributes_for_multi_contacts(
    Gated(state, caller): Gated,
    input: LegacyInput,
) -> ApiResult<Response> {
    let entries = UpdateContactsRequest::parse(&input)?.contacts;
    if !(1..=MAX_CONTACTS).contains(&entries.len()) {
        let message = format!("expected 1 to {MAX_CONTACTS} contacts");
        return answer(Err(app::Error::invalid(Field::Contacts, message)));
    }
    let updates = entries.into_iter().enumerate().map(|(i, entry)| update(i, entry)).collect::<ApiResult<_>>()?;
    let changed = state.app.people().contacts().update_listed(&caller, updates).await;
    answer(changed)
}

fn answer(changed: app::Result<Vec<Contact>>) -> ApiResult<Response> {
    let contacts = match changed {
        Ok(contacts) => contacts,
        Err(error) => return Ok(Json(UpdatedContactsAnswer::Failure(Failure::from_error(error)?)).into_response()),
    };
    let texts: Vec<_> = contacts.iter().map(Contact::texts).collect();
    let shown = contacts.iter().zip(&texts).map(|(contact, texts)| ContactShape::from(&contact.view(texts)));
    Ok(Json(UpdatedContactsAnswer::Updated(UpdatedContacts { result: true, contact_list: shown.collect() }))
        .into_response())
}

fn update(i: usize, entry: ContactAttributes) -> ApiResult<AttributeUpdate> {
    let named = NamedPerson::from_members(entry.target, entry.whatsapp_number);
    let NamedPerson { named_by, target } = required(&format!("contacts[{i}].whatsappNumber"), named)?;
    let custom_params = to_attributes(entry.custom_params);
    Ok(AttributeUpdate { target, named_by, custom_params, removed_params: Vec::new(), name: None, own_in_params: true })
}
