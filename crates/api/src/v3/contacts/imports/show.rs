//! `GET /api/ext/v3/contacts/imports/{id}`: the progress of an import.

use axum::Json;
use axum::extract::State;

use super::shape::ImportShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Get one import
#[utoipa::path(
    get,
    path = "/api/ext/v3/contacts/imports/{id}",
    tag = "contacts",
    params(("id" = String, Path, description = "The import.", example = "507f1f77bcf86cd799439011")),
    responses(
        (status = 200, description = "The import.", body = ImportShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_contact_import(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<ImportShape>> {
    let import = state.app.contacts().import(&caller, super::id(&id)?).await?;
    Ok(Json(ImportShape::from(&import)))
}
