//! `POST /api/ext/v3/contacts/merges/preview`: the contact that a merge of two would make.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::ContactId;
use serde::Serialize;
use utoipa::ToSchema;

use super::merge::MergeContactsRequest;
use super::shape::ContactShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::JsonBody;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactMergePreview<'a> {
    /// The contact that stays.
    #[schema(value_type = String, example = "507f1f77bcf86cd799439011")]
    kept_id: ContactId,
    /// The contact whose data fills the gaps of the other, and whose id then leads to it.
    #[schema(value_type = String, example = "507f1f77bcf86cd799439012")]
    merged_id: ContactId,
    /// The contact as it would be after the merge.
    contact: ContactShape<'a>,
}

/// Preview a merge of two contacts
///
/// Changes nothing.
#[utoipa::path(
    post,
    path = "/api/ext/v3/contacts/merges/preview",
    tag = "contacts",
    request_body = MergeContactsRequest,
    responses(
        (status = 200, description = "The contact as it would be.", body = ContactMergePreview),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the contact.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`: both are the same contact.", body = ErrorBody),
    ),
)]
pub(crate) async fn preview_contact_merge(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(input): JsonBody<MergeContactsRequest>,
) -> ApiResult<Response> {
    let preview = state.app.contacts().preview_merge(&caller, &input.target, &input.duplicate).await?;
    let names = state.app.contacts().names(&caller).await?;
    let texts = preview.contact.texts();
    let contact = ContactShape::new(&preview.contact.view(&texts), &names);
    let (kept_id, merged_id) = (preview.kept_id, preview.merged_id);
    Ok(Json(ContactMergePreview { kept_id, merged_id, contact }).into_response())
}
