//! `POST /api/ext/v3/contacts/merges`: merges two contacts that are the same person.

use domain::MergeId;

use super::shape::ContactShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewContactMerge {
    /// Phone number, contact id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    pub(super) target: String,
    /// The other contact, in the same form.
    #[schema(example = "US.13491208655302741918")]
    pub(super) duplicate: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MergedContacts<'a> {
    /// The merge's id, used to undo it.
    id: MergeId,
    contact: ContactShape<'a>,
}

/// Merge two contacts
///
/// Keeps the older contact and fills its gaps with the other's data. All identities of both then lead to the older
/// contact.
#[described::path(
    post,
    path = "/api/ext/v3/contacts/merges",
    responses(
        (status = 200, description = "The merged contact.", body = MergedContacts),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the contact.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (both targets are the same contact).", body = ErrorBody),
    ),
)]
pub(crate) async fn merge_contacts(
    Gated(state, caller): Gated,
    Json(input): Json<NewContactMerge>,
) -> ApiResult<Response> {
    let merged = state.app.people().contacts().merge(&caller, &input.target, &input.duplicate).await?;
    let names = state.app.people().contacts().names(&caller).await?;
    let texts = merged.contact.texts();
    let contact = ContactShape::new(&merged.contact.view(&texts), &names);
    Ok(Json(MergedContacts { id: merged.id, contact }).into_response())
}
