//! `DELETE /api/ext/v3/segments/{id}`

use axum::Json;
use axum::extract::State;
use domain::SegmentId;
use serde::Serialize;
use utoipa::ToSchema;

use super::segment_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedSegment {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    segment_id: SegmentId,
    #[schema(example = true)]
    deleted: bool,
}

/// Delete a segment
///
/// The contacts stay.
#[utoipa::path(
    delete,
    path = "/api/ext/v3/segments/{id}",
    tag = "contacts",
    params(("id" = String, Path, description = "The segment's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The segment is deleted.", body = DeletedSegment),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_segment(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<DeletedSegment>> {
    let id = segment_id(&id)?;
    state.app.contacts().remove_segment(&caller, id).await?;
    Ok(Json(DeletedSegment { segment_id: id, deleted: true }))
}
