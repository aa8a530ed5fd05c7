//! `GET /api/ext/v3/contacts/imports/{id}`: the progress of an import.

use domain::ImportId;

use super::shape::ContactImport;
use crate::prelude::*;

/// Get an import
#[described::path(
    get,
    path = "/api/ext/v3/contacts/imports/{id}",
    responses((status = 200, description = "The import.", body = ContactImport)),
)]
pub(crate) async fn get_contact_import(
    Gated(state, caller): Gated,
    Path((id,)): Path<(ImportId,)>,
) -> ApiResult<Json<ContactImport>> {
    let import = state.app.people().contacts().import(&caller, id).await?;
    Ok(Json(ContactImport::from(&import)))
}
