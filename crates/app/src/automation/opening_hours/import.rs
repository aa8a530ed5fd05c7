//! Importing holidays from an iCalendar file into a schedule.

use domain::OpeningHoursId;
use domain::automation::opening_hours::{CalendarHolidays, Holiday, Schedule, SkippedEvent, import_holidays};

use super::write::ScheduleEdit;
use super::{OpeningHoursView, Schedules};
use crate::{ActsFor, Error, Result};

#[derive(Debug, Clone)]
pub struct HolidayImport {
    pub calendar: String,
    pub years: Vec<i16>,
    /// Shows the result and stores nothing.
    pub dry_run: bool,
}

#[derive(Debug)]
pub struct ImportedHolidays {
    /// The schedule with the holidays.
    pub view: OpeningHoursView,
    pub added: Vec<Holiday>,
    pub skipped: Vec<SkippedEvent>,
}

#[boxed::futures]
impl Schedules<'_> {
    /// Adds the holidays of a calendar. Days that have a holiday keep it.
    pub async fn import_holidays(
        &self,
        caller: &dyn ActsFor,
        id: OpeningHoursId,
        import: HolidayImport,
    ) -> Result<ImportedHolidays> {
        let HolidayImport { calendar, years, dry_run } = import;
        let view = self.find(caller, id).await?;
        let present = view.hours.schedule.spec().holidays.clone();
        let read = self.0.compute(async move { import_holidays(&calendar, &years, &present) }).await?;
        let CalendarHolidays { holidays: added, skipped } = read.map_err(|error| Error::of_field(&error))?;
        let edit = ScheduleEdit::AddHolidays(added.clone());
        let view = match (dry_run, added.is_empty()) {
            (false, false) => self.write(caller, Some(id), edit).await?,
            (false, true) => view,
            (true, _) => self.preview(view, &edit)?,
        };
        Ok(ImportedHolidays { view, added, skipped })
    }

    /// The schedule as the edit would make it.
    fn preview(&self, view: OpeningHoursView, edit: &ScheduleEdit) -> Result<OpeningHoursView> {
        let mut hours = view.hours;
        let mut spec = hours.schedule.spec().clone();
        edit.apply(&mut spec);
        hours.schedule = Schedule::new(spec).map_err(|error| Error::of_field(&error))?;
        Ok(OpeningHoursView::at(hours, self.0.now()))
    }
}
