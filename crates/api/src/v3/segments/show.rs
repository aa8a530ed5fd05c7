//! `GET /api/ext/v3/segments/{id}`

use axum::Json;
use axum::extract::State;

use super::segment_id;
use super::shape::SegmentShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Get one segment
///
/// With the exact number of its contacts.
#[utoipa::path(
    get,
    path = "/api/ext/v3/segments/{id}",
    tag = "contacts",
    params(("id" = String, Path, description = "The segment's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The segment.", body = SegmentShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 503, description = "Reasons: `still_counting`, `unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_segment(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<SegmentShape>> {
    Ok(Json(state.app.contacts().counted_segment(&caller, segment_id(&id)?).await?.into()))
}
