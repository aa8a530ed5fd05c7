//! `POST /api/ext/v3/contacts/merges/preview`: the contact that merging two contacts would produce.

use domain::ContactId;

use super::merge::NewContactMerge;
use super::shape::ContactShape;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactMergePreview<'a> {
    /// The contact that is kept.
    kept_id: ContactId,
    /// The contact whose data fills the gaps of the kept one, and whose id then leads to it.
    merged_id: ContactId,
    /// The contact as it would be after the merge.
    contact: ContactShape<'a>,
}

/// Preview a contact merge
///
/// Nothing is changed.
#[described::path(
    post,
    path = "/api/ext/v3/contacts/merges/preview",
    responses(
        (status = 200, description = "The contact as it would be after the merge.", body = ContactMergePreview),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the contact.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (both targets are the same contact).", body = ErrorBody),
    ),
)]
pub(crate) async fn preview_contact_merge(
    Gated(state, caller): Gated,
    Json(input): Json<NewContactMerge>,
) -> ApiResult<Response> {
    let preview = state.app.people().contacts().preview_merge(&caller, &input.target, &input.duplicate).await?;
    let names = state.app.people().contacts().names(&caller).await?;
    let texts = preview.contact.texts();
    let contact = ContactShape::new(&preview.contact.view(&texts), &names);
    let (kept_id, merged_id) = (preview.kept_id, preview.merged_id);
    Ok(Json(ContactMergePreview { kept_id, merged_id, contact }).into_response())
}
