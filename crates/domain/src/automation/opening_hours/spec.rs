//! Opening hours as clients write them and as they are stored.

use serde::{Deserialize, Serialize};

use super::time_of_day::TimeOfDay;
use crate::base::schema::ToSchema;
use crate::base::zone::ZoneDay;

/// Most schedules of a tenant.
pub const MAX_OPENING_HOURS: usize = 50;
/// Most periods of one day.
pub const MAX_PERIODS: usize = 8;
pub const MAX_HOLIDAYS: usize = 400;
/// Most characters of the name of a schedule or a holiday.
pub const MAX_NAME_CHARACTERS: usize = 100;

/// Opening hours as a client or the database has them. A `Schedule` is made from them, and checks them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleSpec {
    pub name: String,
    /// The IANA name.
    pub time_zone: String,
    #[serde(default)]
    pub periods: Week,
    #[serde(default)]
    pub holidays: Vec<Holiday>,
}

/// The periods of each weekday, at most 8 a day. A day without periods is closed.
// An unknown member is an error: a misspelt weekday would be closed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = OpeningWeek)]
pub struct Week {
    pub monday: Vec<Period>,
    pub tuesday: Vec<Period>,
    pub wednesday: Vec<Period>,
    pub thursday: Vec<Period>,
    pub friday: Vec<Period>,
    pub saturday: Vec<Period>,
    pub sunday: Vec<Period>,
}

impl Week {
    pub(super) fn days_mut(&mut self) -> [(&'static str, &mut Vec<Period>); 7] {
        [
            ("monday", &mut self.monday),
            ("tuesday", &mut self.tuesday),
            ("wednesday", &mut self.wednesday),
            ("thursday", &mut self.thursday),
            ("friday", &mut self.friday),
            ("saturday", &mut self.saturday),
            ("sunday", &mut self.sunday),
        ]
    }

    pub(super) const fn days(&self) -> [&Vec<Period>; 7] {
        let Self { monday, tuesday, wednesday, thursday, friday, saturday, sunday } = self;
        [monday, tuesday, wednesday, thursday, friday, saturday, sunday]
    }
}

/// Open from `from` until just before `to`, in local time. A period that passes midnight is written as two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = OpeningPeriod)]
pub struct Period {
    #[schema(value_type = String, example = "09:00", pattern = "^[0-2][0-9]:[0-5][0-9]$")]
    pub from: TimeOfDay,
    /// After `from`. `24:00` is the end of the day.
    #[schema(value_type = String, example = "17:30", pattern = "^[0-2][0-9]:[0-5][0-9]$")]
    pub to: TimeOfDay,
}

/// A day whose periods replace those of its weekday.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Holiday)]
pub struct Holiday {
    #[schema(value_type = String, format = "date", example = "2026-12-24")]
    pub date: ZoneDay,
    #[schema(example = "Christmas Eve", min_length = 1, max_length = 100)]
    pub name: String,
    /// Without periods, the day is closed.
    #[serde(default)]
    #[schema(max_items = 8)]
    pub periods: Vec<Period>,
}
