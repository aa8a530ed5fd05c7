//! `POST /{tenantId}/api/v1/addContact/{whatsappNumber}`, or with the number in the query, form or body.

use app::people::contacts::NewContact;

use super::shape::{ContactAnswer, contact_answer};
use crate::input::{LegacyInput, NamedPerson, about_person};
use crate::prelude::*;
use crate::shared::people::contacts::{AttributeInput, to_attributes};

members! {
    #[derive(Debug, ToSchema)]
    pub(crate) struct NewContactV1 from LegacyInput {
        /// A phone number or a BSUID. Takes precedence over `whatsappNumber`.
        #[schema(example = "14155552671")]
        target: Option<String> = text["target"](),
        /// A number in the path takes precedence.
        #[schema(rename = "whatsappNumber", example = "14155552671")]
        whatsapp_number: Option<String> = text["whatsappNumber"](),
        #[schema(example = "Ada Lovelace", max_length = 256)]
        name: Option<String> = text["name"](),
        /// Where a new contact comes from, returned as `source`. Default: `API`.
        #[schema(rename = "sourceType", example = "Shop", max_length = 64)]
        source_type: Option<String> = text["sourceType", "source_type"](),
        #[schema(rename = "customParams")]
        custom_params: Option<Vec<AttributeInput>> = json["customParams"](),
    }
}

/// Add a contact
///
/// If the number is already known, the contact is updated. Failures return `result: false`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/addContact/{whatsappNumber}",
    tag = "contacts",
    params(
        (
            "whatsappNumber" = String,
            Path,
            description = "A phone number with country code; the `+` is optional.",
            example = "14155552671"
        ),
        (
            "sourceType" = Option<String>,
            Query,
            nullable = false,
            description = "Where a new contact comes from, returned as `source`. Default: `API`.",
            example = "Shop"
        ),
    ),
    request_body(content = Option<NewContactV1>, description = "Name and attributes.", content_type = "application/json"),
    responses((status = 200, description = "The contact, or why the request failed.", body = ContactAnswer)),
)]
pub(crate) async fn add_contact(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<(String, String)>,
    mut input: LegacyInput,
) -> ApiResult<Response> {
    let (_tenant, number) = path;
    input.forget("whatsappNumber");
    let asked = NewContactV1::parse(&input)?;
    add(&state, &caller, NewContactV1 { whatsapp_number: Some(number), ..asked }).await
}

/// Add a contact
///
/// Same as the operation with the number in the path, but takes the number from the query, a form or the JSON body.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/addContact",
    tag = "contacts",
    params(
        (
            "whatsappNumber" = Option<String>,
            Query,
            nullable = false,
            description = "A phone number with country code; the `+` is optional.",
            example = "14155552671"
        ),
        (
            "target" = Option<String>,
            Query,
            nullable = false,
            description = "A phone number or a BSUID. Takes precedence over `whatsappNumber`.",
            example = "US.13491208655302741918"
        ),
        (
            "sourceType" = Option<String>,
            Query,
            nullable = false,
            description = "Where a new contact comes from, returned as `source`. Default: `API`.",
            example = "Shop"
        ),
    ),
    request_body(content = Option<NewContactV1>, description = "Name and attributes.", content_type = "application/json"),
    responses((status = 200, description = "The contact, or why the request failed.", body = ContactAnswer)),
)]
pub(crate) async fn add_contact_by_query(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    add(&state, &caller, NewContactV1::parse(&input)?).await
}

async fn add(state: &ApiState, caller: &Caller, asked: NewContactV1) -> ApiResult<Response> {
    let NamedPerson { named_by, target } = NamedPerson::choose(asked.target, asked.whatsapp_number)?;
    let name = asked.name.unwrap_or_default();
    let custom_params = to_attributes(asked.custom_params);
    let new = NewContact { target, name, custom_params, source: asked.source_type, own_in_params: true };
    contact_answer(state.app.people().contacts().add(caller, new).await.map_err(about_person(named_by)))
}
