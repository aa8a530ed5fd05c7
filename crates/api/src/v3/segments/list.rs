//! `GET /api/ext/v3/segments`: all segments of the tenant.

use axum::Json;
use axum::extract::State;
use domain::contacts::segments::{Segment, SegmentMembers};
use domain::time::as_rfc3339;
use domain::{SegmentId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::contacts::GroupShape;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Segments {
    segments: Vec<SegmentShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Segment)]
pub(crate) struct SegmentShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: SegmentId,
    #[schema(example = "Newsletter")]
    name: String,
    /// `static`: the contacts that were added. `dynamic`: the contacts that meet the conditions.
    #[schema(example = "dynamic")]
    refresh_type: &'static str,
    /// For a dynamic segment: a contact must meet all conditions of one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    groups: Option<Vec<GroupShape>>,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    created: Timestamp,
}

/// Get segments
///
/// Oldest first. For the contacts of a segment use the parameter `segment` of the contact list.
#[utoipa::path(
    get,
    path = "/api/ext/v3/segments",
    tag = "contacts",
    responses((status = 200, description = "All segments.", body = Segments)),
)]
pub(crate) async fn list_segments(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<Segments>> {
    let segments = state.app.contacts().segments(&caller).await?;
    Ok(Json(Segments { segments: segments.into_vec().into_iter().map(SegmentShape::from).collect() }))
}

impl From<Segment> for SegmentShape {
    fn from(segment: Segment) -> Self {
        let (refresh_type, groups) = match segment.members {
            SegmentMembers::Static => ("static", None),
            SegmentMembers::Dynamic(groups) => ("dynamic", Some(groups.into_iter().map(GroupShape::from).collect())),
        };
        Self { id: segment.id, name: segment.name, refresh_type, groups, created: segment.created_at }
    }
}
