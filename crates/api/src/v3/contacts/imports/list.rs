//! `GET /api/ext/v3/contacts/imports`: the imports of the last thirty days, at most 100.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::ImportShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactImports)]
pub(crate) struct Imports {
    #[schema(max_items = 100)]
    imports: Vec<ImportShape>,
}

/// Get the imports
///
/// The newest first, at most 100. They are kept for thirty days.
#[utoipa::path(
    get,
    path = "/api/ext/v3/contacts/imports",
    tag = "contacts",
    responses((status = 200, description = "The imports.", body = Imports)),
)]
pub(crate) async fn list_contact_imports(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<Imports>> {
    let imports = state.app.contacts().imports(&caller).await?;
    Ok(Json(Imports { imports: imports.iter().map(ImportShape::from).collect() }))
}
