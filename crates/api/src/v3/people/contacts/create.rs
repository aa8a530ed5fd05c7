//! `POST /api/ext/v3/contacts`: creates or updates one contact.

use app::people::contacts::{ContactNames, NewContact};
use domain::Field;
use domain::people::contacts::{Contact, CustomParam};

use super::shape::{ContactShape, contact_response};
use crate::error::Spelling;
use crate::input::parse_json;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewContact)]
pub(crate) struct CreateContactRequest {
    /// A phone number with country code (the `+` is optional), or a BSUID.
    #[schema(example = "14155552671")]
    whatsapp_number: String,
    #[schema(example = "Ada Lovelace", max_length = 256)]
    name: String,
    custom_params: Option<Vec<CustomParam>>,
}

/// Add a contact
///
/// If the number is already known, the contact is updated: an empty name changes nothing, the given attributes are set,
/// and all others are kept.
#[described::path(
    post,
    path = "/api/ext/v3/contacts",
    responses(
        (status = 200, description = "The stored contact.", body = ContactShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn create_contact(
    Gated(state, caller): Gated,
    Json(input): Json<CreateContactRequest>,
) -> ApiResult<Response> {
    let (contact, names) = create(&state, &caller, input).await?;
    Ok(contact_response(&contact, &names))
}

/// Creates a contact from the JSON text of a body, for `POST /contacts/import`, which accepts one contact too.
pub(in crate::v3::people) async fn create_from(
    state: &ApiState,
    caller: &Caller,
    bytes: &[u8],
) -> ApiResult<CreatedContact> {
    create(state, caller, parse_json(bytes)?).await
}

const NAMES: Spelling<'_> = Spelling(&[(Field::Target, "whatsapp_number"), (Field::Attributes, "custom_params")]);

/// The contact, and the names of the tenant's segments and labels, which its shape shows.
type CreatedContact = (Contact, ContactNames);

async fn create(state: &ApiState, caller: &Caller, input: CreateContactRequest) -> ApiResult<CreatedContact> {
    let new = NewContact {
        target: input.whatsapp_number,
        name: input.name.trim().to_owned(),
        custom_params: input.custom_params.unwrap_or_default(),
        source: None,
        own_in_params: false,
    };
    let contact = state.app.people().contacts().add(caller, new).await.map_err(|error| NAMES.error(error))?;
    let names = state.app.people().contacts().names(caller).await?;
    Ok((contact, names))
}
