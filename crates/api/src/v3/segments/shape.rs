//! The wire shape of a segment in V3.

use app::contacts::{CountedSegment, SegmentMade};
use domain::contacts::segments::{Segment, SegmentMembers};
use domain::time::as_rfc3339;
use domain::{SegmentId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::contacts::GroupShape;

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
    /// The number of contacts; absent if the operation does not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 12, minimum = 0, nullable = false)]
    contact_count: Option<i64>,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    created: Timestamp,
}

impl From<Segment> for SegmentShape {
    fn from(segment: Segment) -> Self {
        let (refresh_type, groups) = match segment.members {
            SegmentMembers::Static => ("static", None),
            SegmentMembers::Dynamic(groups) => ("dynamic", Some(groups.into_iter().map(GroupShape::from).collect())),
        };
        let Segment { id, name, created_at: created, .. } = segment;
        Self { id, name, refresh_type, groups, contact_count: None, created }
    }
}

impl From<CountedSegment> for SegmentShape {
    fn from(counted: CountedSegment) -> Self {
        Self { contact_count: counted.contacts, ..Self::from(counted.segment) }
    }
}

impl From<SegmentMade> for SegmentShape {
    fn from(made: SegmentMade) -> Self {
        let contact_count = made.contacts.and_then(|contacts| i64::try_from(contacts).ok());
        Self { contact_count, ..Self::from(made.segment) }
    }
}
