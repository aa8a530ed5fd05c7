//! Opening hours: weekly periods in the local time of a zone, and holidays that replace them.

mod calendar;
mod check;
mod schedule;
mod spec;
mod time_of_day;

pub use calendar::{
    BadCalendar, CalendarHolidays, MAX_CALENDAR_BYTES, MAX_EVENTS, MAX_YEARS, SkipReason, SkippedEvent, import_holidays,
};
pub use check::{BadSchedule, ScheduleProblem};
pub use schedule::{SEARCH_DAYS, Schedule};
pub use spec::{
    Holiday, MAX_HOLIDAYS, MAX_NAME_CHARACTERS, MAX_OPENING_HOURS, MAX_PERIODS, Period, ScheduleSpec, Week,
};
pub use time_of_day::{NotATimeOfDay, TimeOfDay};

use crate::{OpeningHoursId, Timestamp};

/// A schedule of a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningHours {
    pub id: OpeningHoursId,
    pub schedule: Schedule,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
