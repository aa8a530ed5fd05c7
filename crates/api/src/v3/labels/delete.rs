//! `DELETE /api/ext/v3/labels/{id}`

use axum::Json;
use axum::extract::State;
use domain::LabelId;
use serde::Serialize;
use utoipa::ToSchema;

use super::label_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedLabel {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    label_id: LabelId,
    #[schema(example = true)]
    deleted: bool,
}

/// Delete a label
///
/// It is removed from all conversations and contacts.
#[utoipa::path(
    delete,
    path = "/api/ext/v3/labels/{id}",
    tag = "conversations",
    params(("id" = String, Path, description = "The label's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The label is deleted.", body = DeletedLabel),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_label(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<DeletedLabel>> {
    let id = label_id(&id)?;
    state.app.labels().remove(&caller, id).await?;
    Ok(Json(DeletedLabel { label_id: id, deleted: true }))
}
