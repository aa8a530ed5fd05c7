//! The numbers of members of segments.

use std::time::Duration;

use domain::SegmentId;
use domain::people::contacts::{Condition, ContactFilter};
use domain::people::segments::{Segment, SegmentMembers, check_groups};
use tokio::time::Instant;

use super::{NO_SEGMENT, narrow};
use crate::people::contacts::Contacts;
use crate::{ActsFor, Error, Result};

#[derive(Debug)]
pub struct CountedSegment {
    pub segment: Segment,
    /// None while the first count is not finished.
    pub contacts: Option<i64>,
}

/// How long a list of segments waits for all its counts together.
const WAIT_AT_MOST: Duration = Duration::from_secs(2);

#[boxed::futures]
impl Contacts<'_> {
    /// All segments with the numbers of their members, oldest first. A segment that cannot be counted in time has the
    /// number of its last count, or none.
    pub async fn counted_segments(&self, caller: &dyn ActsFor) -> Result<Vec<CountedSegment>> {
        let all = self.segments(caller).await?;
        let mut counted: Vec<_> =
            all.into_vec().into_iter().map(|segment| CountedSegment { segment, contacts: None }).collect();
        // Static segments come first, since the index counts them fast; dynamic ones may need their contacts to be
        // read.
        counted.sort_by_key(|one| one.segment.members != SegmentMembers::Static);
        let until = Instant::now() + WAIT_AT_MOST;
        for one in &mut counted {
            let filter = filter_of(one.segment.clone());
            let totals = self.0.contact_totals();
            one.contacts = totals.count_until(self.0.db(), caller.tenant(), &filter, until).await?;
        }
        counted.sort_by_key(|one| one.segment.id);
        Ok(counted)
    }

    /// One segment with the exact number of its members. Refused if counting takes too long.
    pub async fn counted_segment(&self, caller: &dyn ActsFor, id: SegmentId) -> Result<CountedSegment> {
        let all = self.segments(caller).await?;
        let segment = all.into_vec().into_iter().find(|segment| segment.id == id).ok_or(NO_SEGMENT)?;
        let filter = filter_of(segment.clone());
        let contacts = self.0.contact_totals().count(self.0.db(), caller.tenant(), &filter).await?;
        Ok(CountedSegment { segment, contacts: Some(contacts) })
    }

    /// The number of contacts that a dynamic segment with these conditions would have now.
    pub async fn count_groups(&self, caller: &dyn ActsFor, groups: Vec<Vec<Condition>>) -> Result<i64> {
        check_groups(&groups).map_err(|error| Error::of_field(&error))?;
        let filter = ContactFilter { groups, ..ContactFilter::default() };
        self.0.contact_totals().count(self.0.db(), caller.tenant(), &filter).await
    }
}

fn filter_of(segment: Segment) -> ContactFilter {
    let mut filter = ContactFilter::default();
    narrow(segment, &mut filter);
    filter
}
