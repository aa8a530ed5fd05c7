//! `POST /api/ext/v3/contacts/merges`: merges two contacts of one person.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::MergeId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::shape::ContactShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::JsonBody;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewContactMerge)]
pub(crate) struct MergeContactsRequest {
    /// Phone number, contact id or BSUID, with or without a channel in front.
    #[schema(example = "14155552671")]
    pub(super) target: String,
    /// The other contact, in the same form.
    #[schema(example = "US.13491208655302741918")]
    pub(super) duplicate: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MergedContacts<'a> {
    /// The id of the merge, for undoing it.
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: MergeId,
    contact: ContactShape<'a>,
}

/// Merge two contacts
///
/// The older contact stays, and the other's data fills its gaps. All identities of both then lead to the older contact.
#[utoipa::path(
    post,
    path = "/api/ext/v3/contacts/merges",
    tag = "contacts",
    request_body = MergeContactsRequest,
    responses(
        (status = 200, description = "The merged contact.", body = MergedContacts),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the contact.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`: both are the same contact.", body = ErrorBody),
    ),
)]
pub(crate) async fn merge_contacts(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(input): JsonBody<MergeContactsRequest>,
) -> ApiResult<Response> {
    let merged = state.app.contacts().merge(&caller, &input.target, &input.duplicate).await?;
    let names = state.app.contacts().names(&caller).await?;
    let texts = merged.contact.texts();
    let contact = ContactShape::new(&merged.contact.view(&texts), &names);
    Ok(Json(MergedContacts { id: merged.id, contact }).into_response())
}
