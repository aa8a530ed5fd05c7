//! `POST /{tenantId}/api/v1/updateContactAttributes/{whatsappNumber}`, or with the number in the query, form or body.

use app::people::contacts::AttributeUpdate;

use super::shape::{ContactAnswer, contact_answer};
use crate::input::{LegacyInput, NamedPerson};
use crate::prelude::*;
use crate::shared::people::contacts::{AttributeInput, to_attributes};

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = AttributesV1)]
    pub(crate) struct UpdateContactRequest from LegacyInput {
        /// A phone number, a contact id or a BSUID. Takes precedence over `whatsappNumber`.
        #[schema(example = "14155552671")]
        target: Option<String> = text["target"](),
        /// A number in the path takes precedence.
        #[schema(rename = "whatsappNumber", example = "14155552671")]
        whatsapp_number: Option<String> = text["whatsappNumber"](),
        /// Attributes to set, by name. Other attributes are left unchanged. `name` sets the contact's own name; `phone`
        /// is ignored.
        #[schema(rename = "customParams")]
        custom_params: Option<Vec<AttributeInput>> = json["customParams"](),
    }
}

/// Update a contact's attributes
///
/// Failures return `result: false`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/updateContactAttributes/{whatsappNumber}",
    tag = "contacts",
    params(
        (
            "whatsappNumber" = String,
            Path,
            description = "A phone number with country code; the `+` is optional.",
            example = "14155552671"
        ),
    ),
    request_body(content = Option<UpdateContactRequest>, description = "The attributes.", content_type = "application/json"),
    responses((status = 200, description = "The contact, or why the request failed.", body = ContactAnswer)),
)]
pub(crate) async fn update_contact_attributes(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<(String, String)>,
    mut input: LegacyInput,
) -> ApiResult<Response> {
    let (_tenant, number) = path;
    input.forget("whatsappNumber");
    let asked = UpdateContactRequest::parse(&input)?;
    update(&state, &caller, UpdateContactRequest { whatsapp_number: Some(number), ..asked }).await
}

/// Update a contact's attributes
///
/// Same as the operation with the number in the path, but takes the number from the query, a form or the JSON body.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/updateContactAttributes",
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
            description = "A phone number, a contact id or a BSUID. Takes precedence over `whatsappNumber`.",
            example = "US.13491208655302741918"
        ),
    ),
    request_body(content = Option<UpdateContactRequest>, description = "The attributes.", content_type = "application/json"),
    responses((status = 200, description = "The contact, or why the request failed.", body = ContactAnswer)),
)]
pub(crate) async fn update_contact_attributes_by_query(
    Gated(state, caller): Gated,
    input: LegacyInput,
) -> ApiResult<Response> {
    update(&state, &caller, UpdateContactRequest::parse(&input)?).await
}

async fn update(state: &ApiState, caller: &Caller, asked: UpdateContactRequest) -> ApiResult<Response> {
    let NamedPerson { named_by, target } = NamedPerson::choose(asked.target, asked.whatsapp_number)?;
    let custom_params = to_attributes(asked.custom_params);
    let update = AttributeUpdate {
        target,
        named_by,
        custom_params,
        removed_params: Vec::new(),
        name: None,
        own_in_params: true,
    };
    contact_answer(state.app.people().contacts().update(caller, update).await)
}
