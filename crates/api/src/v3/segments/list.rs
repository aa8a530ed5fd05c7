//! `GET /api/ext/v3/segments`: all segments of the tenant.

use super::shape::SegmentShape;
use crate::prelude::*;

members! {
    pub(crate) query ListSegmentsQuery from Query {
        /// Adds `contact_count` to each segment. The operation counts for at most 2 seconds. A segment that was not
        /// reached in that time has the number of its last count, or none if it was never counted.
        include_counts: Option<bool> = optional_flag["include_counts"](),
    }
}

list!(Segments { "segments": SegmentShape });

/// Get segments
///
/// The oldest segment first. For the contacts of a segment use the parameter `segment` of the contact list.
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
    let contacts = state.app.contacts();
    Ok(Json(if asked.include_counts.unwrap_or_default() {
        List::of(contacts.counted_segments(&caller).await?)
    } else {
        List::of(contacts.segments(&caller).await?.into_vec())
    }))
}
