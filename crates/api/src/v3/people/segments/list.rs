//! `GET /api/ext/v3/segments`: all segments of the tenant.

use super::shape::SegmentShape;
use crate::prelude::*;

members! {
    pub(crate) query ListSegmentsQuery from Query {
        /// Adds `contact_count` to each segment. Counting stops after 2 seconds. Segments not reached by then have
        /// their last count, or none if they were never counted.
        include_counts: Option<bool> = optional_flag["include_counts"](),
    }
}

list!(Segments { "segments": SegmentShape });

/// Get segments
///
/// Returns all segments, oldest first. To list a segment's contacts, use the `segment` parameter of the contact list.
#[described::path(
    get,
    path = "/api/ext/v3/segments",
    params(ListSegmentsQuery),
    responses((status = 200, description = "All segments.", body = Segments)),
)]
pub(crate) async fn list_segments(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ListSegmentsQuery>,
) -> ApiResult<Json<Segments>> {
    let contacts = state.app.people().contacts();
    Ok(Json(if asked.include_counts.unwrap_or_default() {
        List::from_rows(contacts.counted_segments(&caller).await?)
    } else {
        List::from_rows(contacts.segments(&caller).await?.into_vec())
    }))
}
