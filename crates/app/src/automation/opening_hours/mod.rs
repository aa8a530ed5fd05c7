//! Opening hours: the schedules of a tenant.

mod import;
mod write;

pub use import::{HolidayImport, ImportedHolidays};
pub use write::ScheduleRequest;

use domain::automation::opening_hours::OpeningHours;
use domain::delivery::events::{Fact, InboxChange, InboxSubject};
use domain::{OpeningHoursId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use crate::automation::Automation;
use crate::base::emit::emit;
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct Schedules<'a>(&'a Automation);

impl Automation {
    pub fn opening_hours(&self) -> Schedules<'_> {
        Schedules(self)
    }
}

pub(crate) const NO_SCHEDULE: Error = Error::NotFound(Thing::OpeningHours);

/// A schedule as it is now.
#[derive(Debug, Clone)]
pub struct OpeningHoursView {
    pub hours: OpeningHours,
    pub is_open: bool,
    /// When it opens or closes next; None if it does not within `SEARCH_DAYS`.
    pub next_change: Option<Timestamp>,
}

impl OpeningHoursView {
    fn at(hours: OpeningHours, now: Timestamp) -> Self {
        Self { is_open: hours.schedule.is_open(now), next_change: hours.schedule.next_change(now), hours }
    }
}

#[boxed::futures]
impl Schedules<'_> {
    /// All schedules of the tenant, the oldest first.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<OpeningHoursView>> {
        let all = store::automation::opening_hours::list(self.0.db(), caller.tenant()).await?;
        let now = self.0.now();
        Ok(all.into_iter().map(|hours| OpeningHoursView::at(hours, now)).collect())
    }

    pub async fn find(&self, caller: &dyn ActsFor, id: OpeningHoursId) -> Result<OpeningHoursView> {
        let found = store::automation::opening_hours::find(self.0.db(), caller.tenant(), id).await?;
        Ok(OpeningHoursView::at(found.ok_or(NO_SCHEDULE)?, self.0.now()))
    }

    pub async fn remove(&self, caller: &dyn ActsFor, id: OpeningHoursId) -> Result<()> {
        let input = (caller.tenant(), id, caller.audit_actor(), self.0.now());
        let removed = self.0.db().write(input, |tx, (tenant, id, actor, now)| {
            Box::pin(async move {
                let is_removed = store::automation::opening_hours::remove(tx, *tenant, *id).await?;
                if is_removed {
                    emit_change(tx, *tenant, *now).await?;
                    actor.record(tx, *tenant, *now, "opening_hours.delete", &id.to_string(), json!({})).await?;
                }
                Ok::<_, Error>(is_removed)
            })
        });
        if removed.await? { Ok(()) } else { Err(NO_SCHEDULE) }
    }
}

/// Emits that a schedule has changed, for open consoles and for routing.
async fn emit_change(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> Result<()> {
    let change = InboxChange::about(InboxSubject::OpeningHours);
    emit(tx, tenant, &[Fact::inbox_changed(now.to_millis(), &change)]).await
}
