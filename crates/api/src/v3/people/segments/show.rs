//! `GET /api/ext/v3/segments/{id}`

use domain::SegmentId;

use super::shape::SegmentShape;
use crate::prelude::*;

/// Get a segment
///
/// Includes the exact number of its contacts.
#[described::path(
    get,
    path = "/api/ext/v3/segments/{id}",
    responses(
        (status = 200, description = "The segment.", body = SegmentShape),
        (status = 503, description = "Reasons: `still_counting`, `unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_segment(
    Gated(state, caller): Gated,
    Path((id,)): Path<(SegmentId,)>,
) -> ApiResult<Json<SegmentShape>> {
    Ok(Json(state.app.people().contacts().counted_segment(&caller, id).await?.into()))
}
