//! `PUT /api/ext/v3/contacts`: updates the attributes and names of several contacts, all or none.

use app::people::contacts::AttributeUpdate;
use domain::Field;
use domain::people::contacts::{Contact, CustomParam};

use super::shape::ContactShape;
use crate::prelude::*;

const MAX_CONTACTS: usize = 100;
const MAX_REMOVED: usize = 100;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContactUpdates)]
pub(crate) struct UpdateContactsRequest {
    #[schema(min_items = 1, max_items = 100)]
    contacts: Vec<ContactAttributes>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContactUpdate)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContactAttributes {
    /// Phone number, contact id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    /// Attributes to set, by name. Other attributes are left unchanged.
    custom_params: Option<Vec<CustomParam>>,
    /// Names of attributes to remove. Names that the contact does not have are ignored. Alias: `removedParams`.
    #[serde(rename = "removed_params", alias = "removedParams")]
    #[schema(example = json!(["city"]), max_items = 100)]
    removed_params: Option<Vec<String>>,
    /// The contact's new name.
    #[schema(example = "Ada Lovelace", max_length = 256)]
    name: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UpdatedContacts)]
pub(crate) struct UpdatedContacts<'a> {
    contact_list: Vec<ContactShape<'a>>,
}

/// Update contact attributes
///
/// Sets and removes attributes, and changes names, of 1 to 100 contacts. Either all contacts are updated or none. An
/// attribute in both lists is set.
#[described::path(
    put,
    path = "/api/ext/v3/contacts",
    responses(
        (status = 200, description = "The updated contacts, in the order of the request.", body = UpdatedContacts),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the target.", body = ErrorBody),
    ),
)]
pub(crate) async fn update_contacts(
    Gated(state, caller): Gated,
    Json(input): Json<UpdateContactsRequest>,
) -> ApiResult<Response> {
    if !(1..=MAX_CONTACTS).contains(&input.contacts.len()) {
        return Err(ApiError::invalid("contacts", format!("expected 1 to {MAX_CONTACTS} contacts")));
    }
    let too_many =
        |entry: &ContactAttributes| entry.removed_params.as_ref().is_some_and(|names| names.len() > MAX_REMOVED);
    if let Some(i) = input.contacts.iter().position(too_many) {
        let member = format!("contacts[{i}].removed_params");
        return Err(ApiError::invalid(member, format!("at most {MAX_REMOVED} attributes")));
    }
    let update = |entry: ContactAttributes| AttributeUpdate {
        target: entry.target,
        named_by: Field::Target,
        custom_params: entry.custom_params.unwrap_or_default(),
        removed_params: entry.removed_params.unwrap_or_default(),
        name: entry.name,
        own_in_params: false,
    };
    let updates = input.contacts.into_iter().map(update).collect();
    let changed = state.app.people().contacts().update_listed(&caller, updates).await?;
    let names = state.app.people().contacts().names(&caller).await?;
    let texts: Vec<_> = changed.iter().map(Contact::texts).collect();
    let shown = changed.iter().zip(&texts).map(|(contact, texts)| ContactShape::new(&contact.view(texts), &names));
    Ok(Json(UpdatedContacts { contact_list: shown.collect() }).into_response())
}
