//! The wire shape of a schedule.

use app::automation::opening_hours::OpeningHoursView;
use domain::OpeningHoursId;
use domain::automation::opening_hours::{Holiday, OpeningHours, ScheduleSpec, Week};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpeningHours)]
pub(crate) struct OpeningHoursShape {
    id: OpeningHoursId,
    #[schema(example = "Support")]
    name: String,
    /// The IANA name of the time zone in which the periods are given.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    periods: Week,
    /// In order of their dates. Their periods replace those of the weekday.
    #[schema(max_items = 400)]
    holidays: Vec<Holiday>,
    /// Whether the schedule is open now.
    is_open: bool,
    /// When the schedule opens or closes next. Absent if it does neither within 400 days.
    #[serde(serialize_with = "as_optional_rfc3339", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_change: Option<Timestamp>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    updated: Timestamp,
}

impl From<OpeningHoursView> for OpeningHoursShape {
    fn from(view: OpeningHoursView) -> Self {
        let OpeningHours { id, schedule, created_at: created, updated_at: updated } = view.hours;
        let ScheduleSpec { name, time_zone, periods, holidays } = schedule.into_spec();
        let OpeningHoursView { is_open, next_change, .. } = view;
        Self { id, name, time_zone, periods, holidays, is_open, next_change, created, updated }
    }
}
