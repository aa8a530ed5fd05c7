//! When schedules are open: the hours around changes of the clock, and random schedules compared with a count of every
//! minute.

mod clock_changes;
mod minutes;
mod properties;

use domain::Timestamp;
use domain::automation::opening_hours::{Holiday, Period, Schedule, ScheduleSpec, Week};
use domain::base::time::Moment;

pub(crate) fn at(text: &str) -> Timestamp {
    Moment::parse(text).unwrap().first()
}

pub(crate) fn period(text: &str) -> Period {
    let (from, to) = text.split_once('-').unwrap();
    Period { from: from.parse().unwrap(), to: to.parse().unwrap() }
}

pub(crate) fn periods(texts: &[&str]) -> Vec<Period> {
    texts.iter().map(|text| period(text)).collect()
}

pub(crate) fn holiday(date: &str, texts: &[&str]) -> Holiday {
    Holiday { date: date.parse().unwrap(), name: "A holiday".to_owned(), periods: periods(texts) }
}

pub(crate) fn schedule(zone: &str, week: Week, holidays: Vec<Holiday>) -> Schedule {
    let spec = ScheduleSpec { name: "Hours".to_owned(), time_zone: zone.to_owned(), periods: week, holidays };
    Schedule::new(spec).unwrap()
}

/// The same periods on every day.
pub(crate) fn daily(zone: &str, texts: &[&str]) -> Schedule {
    let day = || periods(texts);
    let week = Week {
        monday: day(),
        tuesday: day(),
        wednesday: day(),
        thursday: day(),
        friday: day(),
        saturday: day(),
        sunday: day(),
    };
    schedule(zone, week, Vec::new())
}

pub(crate) fn office_week() -> Week {
    let day = || periods(&["09:00-12:00", "13:00-17:30"]);
    Week {
        monday: day(),
        tuesday: day(),
        wednesday: day(),
        thursday: day(),
        friday: periods(&["09:00-12:00"]),
        ..Week::default()
    }
}
