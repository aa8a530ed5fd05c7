//! `POST /{tenantId}/api/v1/updateContactAttributes/{whatsappNumber}`, or with the number in the query, form or body.

use app::contacts::AttributeUpdate;
use axum::extract::State;
use axum::response::Response;
use utoipa::ToSchema;

use super::shape::{ContactAnswer, one};
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput, Named};
use crate::v1::failure::or_failure;

#[derive(Debug, ToSchema)]
#[schema(as = AttributesV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    /// Attributes by name; those that are not named stay.
    #[schema(rename = "customParams")]
    custom_params: Option<Vec<ParamShape>>,
    /// Where neither the path nor the query has it.
    #[schema(rename = "whatsappNumber", example = "14155552671")]
    whatsapp_number: Option<String>,
    /// Wins over `whatsappNumber`: a phone number, a contact id or a BSUID.
    #[schema(example = "14155552671")]
    target: Option<String>,
}

/// Change attributes of a contact
///
/// What cannot be done is told with `result: false`.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/updateContactAttributes/{whatsappNumber}",
    tag = "contacts",
    params(
        ("tenantId" = String, Path, description = "The tenant.", example = "100001"),
        ("whatsappNumber" = String, Path, description = "With country code, with or without `+`.", example = "14155552671"),
    ),
    request_body(content = Option<Input>, description = "The attributes.", content_type = "application/json"),
    responses((status = 200, description = "The contact, or why not.", body = ContactAnswer)),
)]
pub(crate) async fn update_contact_attributes(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Response> {
    let (_tenant, number) = path;
    let named = input.person(Some(number))?;
    update(&state, &caller, named, &input).await
}

/// Change attributes of a contact
///
/// The same with the number outside the path: in the query, a form or the JSON body.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/updateContactAttributes",
    tag = "contacts",
    params(
        ("tenantId" = String, Path, description = "The tenant.", example = "100001"),
        ("whatsappNumber" = Option<String>, Query, nullable = false, description = "With country code, with or without `+`.", example = "14155552671"),
        ("target" = Option<String>, Query, nullable = false, description = "Wins over `whatsappNumber`: a phone number, a contact id or a BSUID.", example = "US.13491208655302741918"),
    ),
    request_body(content = Option<Input>, description = "The attributes.", content_type = "application/json"),
    responses((status = 200, description = "The contact, or why not.", body = ContactAnswer)),
)]
pub(crate) async fn update_contact_attributes_by_query(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let named = input.person(None)?;
    update(&state, &caller, named, &input).await
}

async fn update(state: &ApiState, caller: &Caller, named: Named, input: &LegacyInput) -> ApiResult<Response> {
    let Named { member, target } = named;
    let custom_params = input.json("customParams")?.unwrap_or_default();
    let changed = state.app.contacts().update(caller, AttributeUpdate { target, member, custom_params }).await;
    or_failure(changed.map(|contact| one(&contact)))
}
