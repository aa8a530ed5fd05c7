//! `POST /api/ext/v3/contacts/merges/{id}/undo`: separates two contacts again.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::ContactShape;
use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody, NOT_FOUND};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeparatedContacts<'a> {
    /// The contact that was kept.
    contact: ContactShape<'a>,
    /// The contact that had been merged into it.
    separated: ContactShape<'a>,
}

/// Undo a merge
///
/// Restores both contacts. Changes since the merge stay with the contact that was kept.
#[utoipa::path(
    post,
    path = "/api/ext/v3/contacts/merges/{id}/undo",
    tag = "contacts",
    params(("id" = String, Path, description = "The merge's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "Both contacts after the separation.", body = SeparatedContacts),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`: the merge is undone already, or a later merge must be undone first.", body = ErrorBody),
    ),
)]
pub(crate) async fn undo_contact_merge(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Response> {
    let id = id.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such merge"))?;
    let (kept, separated) = state.app.contacts().undo_merge(&caller, id).await?;
    let names = state.app.contacts().names(&caller).await?;
    let (kept_texts, separated_texts) = (kept.texts(), separated.texts());
    let answer = SeparatedContacts {
        contact: ContactShape::new(&kept.view(&kept_texts), &names),
        separated: ContactShape::new(&separated.view(&separated_texts), &names),
    };
    Ok(Json(answer).into_response())
}
