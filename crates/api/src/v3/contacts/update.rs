//! `PUT /api/ext/v3/contacts`: changes attributes of many contacts, of all of them or of none.

use app::contacts::AttributeUpdate;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::contacts::{Contact, CustomParam};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::shape::ContactShape;
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::JsonBody;

const MAX_CONTACTS: usize = 100;

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
    /// Phone number, contact id or BSUID, with or without a channel in front.
    #[schema(example = "14155552671")]
    target: String,
    /// Attributes to set, by name; others stay as they are.
    #[schema(value_type = Option<Vec<ParamShape>>)]
    custom_params: Option<Vec<CustomParam>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UpdatedContacts)]
pub(crate) struct UpdatedContacts<'a> {
    contact_list: Vec<ContactShape<'a>>,
}

/// Change attributes of contacts
///
/// 1 to 100 contacts. Either all of them are changed or none.
#[utoipa::path(
    put,
    path = "/api/ext/v3/contacts",
    tag = "contacts",
    request_body = UpdateContactsRequest,
    responses(
        (status = 200, description = "The contacts after the change, in the order of the request.", body = UpdatedContacts),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the target.", body = ErrorBody),
    ),
)]
pub(crate) async fn update_contacts(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(input): JsonBody<UpdateContactsRequest>,
) -> ApiResult<Response> {
    if !(1..=MAX_CONTACTS).contains(&input.contacts.len()) {
        return Err(ApiError::invalid("contacts", format!("expected 1 to {MAX_CONTACTS} contacts")));
    }
    let update = |entry: ContactAttributes| AttributeUpdate {
        target: entry.target,
        member: "target",
        custom_params: entry.custom_params.unwrap_or_default(),
        own_in_params: false,
    };
    let updates = input.contacts.into_iter().map(update).collect();
    let changed = state.app.contacts().update_listed(&caller, "contacts", updates).await?;
    let names = state.app.contacts().names(&caller).await?;
    let texts: Vec<_> = changed.iter().map(Contact::texts).collect();
    let shown = changed.iter().zip(&texts).map(|(contact, texts)| ContactShape::new(&contact.view(texts), &names));
    Ok(Json(UpdatedContacts { contact_list: shown.collect() }).into_response())
}
