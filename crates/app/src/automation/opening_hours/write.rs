//! Creating and changing a schedule.

use domain::automation::opening_hours::{Holiday, MAX_OPENING_HOURS, OpeningHours, Schedule, ScheduleSpec, Week};
use domain::people::contacts::fold;
use domain::{Field, Id, OpeningHoursId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use super::{NO_SCHEDULE, OpeningHoursView, Schedules, emit_change};
use crate::{Actor, ActsFor, Error, Result};

/// A new schedule, or a change of one: None leaves a member as it is, or empty.
#[derive(Debug, Clone, Default)]
pub struct ScheduleRequest {
    pub name: Option<String>,
    pub time_zone: Option<String>,
    pub periods: Option<Week>,
    pub holidays: Option<Vec<Holiday>>,
}

/// What a write does to a schedule.
#[derive(Debug)]
pub(super) enum ScheduleEdit {
    Members(Box<ScheduleRequest>),
    /// Adds the holidays whose days have none yet.
    AddHolidays(Vec<Holiday>),
}

#[derive(Debug)]
struct ScheduleWrite {
    tenant: TenantId,
    actor: Actor,
    /// None for a new schedule.
    id: Option<OpeningHoursId>,
    edit: ScheduleEdit,
    now: Timestamp,
}

#[boxed::futures]
impl Schedules<'_> {
    pub async fn create(&self, caller: &dyn ActsFor, request: ScheduleRequest) -> Result<OpeningHoursView> {
        self.write(caller, None, ScheduleEdit::Members(Box::new(request))).await
    }

    pub async fn update(
        &self,
        caller: &dyn ActsFor,
        id: OpeningHoursId,
        request: ScheduleRequest,
    ) -> Result<OpeningHoursView> {
        self.write(caller, Some(id), ScheduleEdit::Members(Box::new(request))).await
    }

    pub(super) async fn write(
        &self,
        caller: &dyn ActsFor,
        id: Option<OpeningHoursId>,
        edit: ScheduleEdit,
    ) -> Result<OpeningHoursView> {
        let now = self.0.now();
        let write =
            ScheduleWrite { tenant: caller.tenant(), actor: caller.audit_actor(), id, edit, now: now.to_millis() };
        let written = self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await?;
        Ok(OpeningHoursView::at(written, now))
    }
}

impl ScheduleWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<OpeningHours> {
        let all = store::automation::opening_hours::list_in(tx, self.tenant).await?;
        let known = match self.id {
            Some(id) => Some(all.iter().find(|hours| hours.id == id).ok_or(NO_SCHEDULE)?),
            None if all.len() >= MAX_OPENING_HOURS => {
                let (used, max) = (all.len() as u64, MAX_OPENING_HOURS as u64);
                return Err(Error::LimitReached { limit: "opening_hours", used, max });
            }
            None => None,
        };
        let hours = self.hours(known)?;
        let key = fold(&hours.schedule.spec().name);
        let is_taken = all.iter().any(|other| other.id != hours.id && fold(&other.schedule.spec().name) == key);
        if is_taken
            || (known.is_none() && !store::automation::opening_hours::insert(tx, self.tenant, &key, &hours).await?)
        {
            return Err(Error::conflict(Field::Name, "a schedule with this name already exists"));
        }
        if known.is_some() {
            store::automation::opening_hours::update(tx, self.tenant, &key, &hours).await?;
        }
        self.record_in_audit(tx, known, &hours).await?;
        emit_change(tx, self.tenant, self.now).await?;
        Ok(hours)
    }

    fn hours(&self, known: Option<&OpeningHours>) -> Result<OpeningHours> {
        let empty = || ScheduleSpec {
            name: String::new(),
            time_zone: String::new(),
            periods: Week::default(),
            holidays: Vec::new(),
        };
        let mut spec = known.map_or_else(empty, |hours| hours.schedule.spec().clone());
        self.edit.apply(&mut spec);
        let schedule = Schedule::new(spec).map_err(|error| Error::of_field(&error))?;
        let (id, created_at) =
            known.map_or_else(|| (Id::new(self.now), self.now), |hours| (hours.id, hours.created_at));
        Ok(OpeningHours { id, schedule, created_at, updated_at: self.now })
    }

    async fn record_in_audit(&self, tx: &mut Tx<'_>, known: Option<&OpeningHours>, hours: &OpeningHours) -> Result<()> {
        let spec = hours.schedule.spec();
        let (action, details) = match (&self.edit, known) {
            (ScheduleEdit::AddHolidays(_), Some(known)) => {
                let added = spec.holidays.len() - known.schedule.spec().holidays.len();
                ("opening_hours.import", json!({"name": spec.name, "added": added}))
            }
            (_, Some(_)) => ("opening_hours.update", json!({"name": spec.name, "time_zone": spec.time_zone})),
            (_, None) => ("opening_hours.create", json!({"name": spec.name, "time_zone": spec.time_zone})),
        };
        let subject = hours.id.to_string();
        Ok(self.actor.record(tx, self.tenant, self.now, action, &subject, details).await?)
    }
}

impl ScheduleEdit {
    pub fn apply(&self, spec: &mut ScheduleSpec) {
        match self {
            Self::Members(request) => {
                replace(&mut spec.name, request.name.as_ref());
                replace(&mut spec.time_zone, request.time_zone.as_ref());
                replace(&mut spec.periods, request.periods.as_ref());
                replace(&mut spec.holidays, request.holidays.as_ref());
            }
            Self::AddHolidays(added) => {
                let is_new = |one: &&Holiday| spec.holidays.iter().all(|present| present.date != one.date);
                let new: Vec<Holiday> = added.iter().filter(is_new).cloned().collect();
                spec.holidays.extend(new);
            }
        }
    }
}

fn replace<T: Clone>(member: &mut T, given: Option<&T>) {
    if let Some(given) = given {
        member.clone_from(given);
    }
}
