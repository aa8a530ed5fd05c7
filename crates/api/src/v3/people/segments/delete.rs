//! `DELETE /api/ext/v3/segments/{id}`

use domain::SegmentId;

use crate::answer::deleted::{Deleted, DeletedSegment};
use crate::prelude::*;

/// Delete a segment
///
/// The contacts are kept.
#[described::path(
    delete,
    path = "/api/ext/v3/segments/{id}",
    responses((status = 200, description = "The segment was deleted.", body = DeletedSegment)),
)]
pub(crate) async fn delete_segment(
    Gated(state, caller): Gated,
    Path((id,)): Path<(SegmentId,)>,
) -> ApiResult<Json<DeletedSegment>> {
    state.app.people().contacts().remove_segment(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
