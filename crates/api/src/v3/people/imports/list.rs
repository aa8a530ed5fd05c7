//! `GET /api/ext/v3/contacts/imports`: the imports of the last 30 days, at most 100.

use super::shape::ContactImport;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactImports)]
pub(crate) struct Imports {
    #[schema(max_items = 100)]
    imports: Vec<ContactImport>,
}

/// Get imports
///
/// Returns at most 100 imports, newest first. Imports are kept for 30 days.
#[described::path(
    get,
    path = "/api/ext/v3/contacts/imports",
    responses((status = 200, description = "The imports.", body = Imports)),
)]
pub(crate) async fn list_contact_imports(Gated(state, caller): Gated) -> ApiResult<Json<Imports>> {
    let imports = state.app.people().contacts().imports(&caller).await?;
    Ok(Json(Imports { imports: imports.iter().map(ContactImport::from).collect() }))
}
