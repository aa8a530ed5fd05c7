//! `GET /api/ext/v3/segments`: all segments of the tenant.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::SegmentShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{FromQuery, Query, members};

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct ListSegmentsQuery from Query {
        /// Adds `contact_count` to each segment. The operation counts for at most 2 seconds. A segment that was not
        /// reached in that time has the number of its last count, or none if it was never counted.
        #[param(nullable = false)]
        include_counts: Option<bool> = optional_flag["include_counts"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Segments {
    segments: Vec<SegmentShape>,
}

/// Get segments
///
/// The oldest segment first. For the contacts of a segment use the parameter `segment` of the contact list.
#[utoipa::path(
    get,
    path = "/api/ext/v3/segments",
    tag = "contacts",
    params(ListSegmentsQuery),
    responses((status = 200, description = "All segments.", body = Segments)),
)]
pub(crate) async fn list_segments(
    State(state): State<ApiState>,
    caller: Caller,
    FromQuery(asked): FromQuery<ListSegmentsQuery>,
) -> ApiResult<Json<Segments>> {
    let contacts = state.app.contacts();
    let segments = if asked.include_counts.unwrap_or_default() {
        contacts.counted_segments(&caller).await?.into_iter().map(SegmentShape::from).collect()
    } else {
        contacts.segments(&caller).await?.into_vec().into_iter().map(SegmentShape::from).collect()
    };
    Ok(Json(Segments { segments }))
}
