//! The wire shape of a segment in V3.

use app::people::segments::{CountedSegment, SegmentMade};
use domain::SegmentId;
use domain::people::segments::{Segment, SegmentMembers};

use crate::prelude::*;
use crate::shared::people::contacts::SegmentGroup;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Segment)]
pub(crate) struct SegmentShape {
    id: SegmentId,
    #[schema(example = "Newsletter")]
    name: String,
    /// `static`: contains the contacts that were added. `dynamic`: contains the contacts that meet the conditions.
    #[schema(example = "dynamic")]
    refresh_type: &'static str,
    /// For a dynamic segment: a contact must meet all conditions of at least one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    groups: Option<Vec<SegmentGroup>>,
    /// The number of contacts. Absent if the operation does not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 12, minimum = 0, nullable = false)]
    contact_count: Option<i64>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
}

impl From<Segment> for SegmentShape {
    fn from(segment: Segment) -> Self {
        let (refresh_type, groups) = match segment.members {
            SegmentMembers::Static => ("static", None),
            SegmentMembers::Dynamic(groups) => ("dynamic", Some(groups.into_iter().map(SegmentGroup::from).collect())),
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
