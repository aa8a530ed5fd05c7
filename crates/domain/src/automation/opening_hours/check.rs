//! What makes opening hours valid.

use std::collections::HashSet;

use super::spec::{Holiday, MAX_HOLIDAYS, MAX_NAME_CHARACTERS, MAX_PERIODS, Period, ScheduleSpec};
use super::time_of_day::TimeOfDay;
use crate::base::zone::{UnknownZone, Zone};
use crate::{Field, FieldError, Place};

/// Why opening hours are refused, and which member is the reason: `periods.monday[1].to`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct BadSchedule {
    pub place: Place,
    pub problem: ScheduleProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleProblem {
    #[error("expected 1 to {MAX_NAME_CHARACTERS} characters, no control characters")]
    Name,
    #[error(transparent)]
    TimeZone(#[from] UnknownZone),
    #[error("expected at most {MAX_PERIODS} periods")]
    TooManyPeriods,
    #[error("expected a time before 24:00")]
    StartsAtEndOfDay,
    #[error("expected a time after {0}; write a period that passes midnight as two")]
    EndsBeforeStart(TimeOfDay),
    #[error("overlaps the period from {from} to {to}", from = .0.from, to = .0.to)]
    Overlap(Period),
    #[error("expected at most {MAX_HOLIDAYS} holidays")]
    TooManyHolidays,
    #[error("another holiday has this date")]
    SameDate,
}

impl ScheduleProblem {
    fn at(self, place: impl Into<Place>) -> BadSchedule {
        BadSchedule { place: place.into(), problem: self }
    }
}

impl FieldError for BadSchedule {
    fn place(&self) -> Place {
        self.place.clone()
    }
}

impl ScheduleSpec {
    /// Orders periods by time and holidays by date, and spells the time zone as the database of zones does.
    pub(super) fn checked(mut self) -> Result<(Self, Zone), BadSchedule> {
        self.name = check_name(&self.name).map_err(|problem| problem.at(Field::Name))?;
        let zone = Zone::named(&self.time_zone).map_err(|error| ScheduleProblem::from(error).at(Field::TimeZone))?;
        zone.name().clone_into(&mut self.time_zone);
        for (weekday, periods) in self.periods.days_mut() {
            check_periods(periods, &Place::from(Field::Periods).key(weekday))?;
        }
        check_holidays(&mut self.holidays)?;
        Ok((self, zone))
    }
}

/// The name without surrounding spaces.
fn check_name(name: &str) -> Result<String, ScheduleProblem> {
    let name = name.trim();
    let fits = (1..=MAX_NAME_CHARACTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if fits { Ok(name.to_owned()) } else { Err(ScheduleProblem::Name) }
}

/// Checks the periods of one day and orders them by time.
fn check_periods(periods: &mut [Period], place: &Place) -> Result<(), BadSchedule> {
    if periods.len() > MAX_PERIODS {
        return Err(ScheduleProblem::TooManyPeriods.at(place));
    }
    for (i, period) in periods.iter().enumerate() {
        let period_at = || place.clone().at(i);
        if period.from >= TimeOfDay::END_OF_DAY {
            return Err(ScheduleProblem::StartsAtEndOfDay.at(period_at().member(Field::From)));
        }
        if period.to <= period.from {
            return Err(ScheduleProblem::EndsBeforeStart(period.from).at(period_at().member(Field::To)));
        }
        let overlapped = periods.iter().take(i).find(|other| other.from < period.to && period.from < other.to);
        if let Some(other) = overlapped {
            return Err(ScheduleProblem::Overlap(*other).at(period_at()));
        }
    }
    periods.sort_unstable_by_key(|period| period.from);
    Ok(())
}

/// Checks the holidays and orders them by date.
fn check_holidays(holidays: &mut [Holiday]) -> Result<(), BadSchedule> {
    if holidays.len() > MAX_HOLIDAYS {
        return Err(ScheduleProblem::TooManyHolidays.at(Field::Holidays));
    }
    let mut dates = HashSet::new();
    for (i, holiday) in holidays.iter_mut().enumerate() {
        let holiday_at = || Field::Holidays.at(i);
        if !dates.insert(holiday.date) {
            return Err(ScheduleProblem::SameDate.at(holiday_at().member(Field::Date)));
        }
        holiday.name = check_name(&holiday.name).map_err(|problem| problem.at(holiday_at().member(Field::Name)))?;
        check_periods(&mut holiday.periods, &holiday_at().member(Field::Periods))?;
    }
    holidays.sort_unstable_by_key(|holiday| holiday.date);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::automation::opening_hours::{Schedule, Week};

    fn spec(change: impl FnOnce(&mut serde_json::Value)) -> ScheduleSpec {
        let mut spec = json!({
            "name": " Support ",
            "time_zone": "europe/berlin",
            "periods": {"monday": [{"from": "13:00", "to": "17:30"}, {"from": "09:00", "to": "12:00"}]},
            "holidays": [
                {"date": "2026-12-31", "name": "New Year's Eve", "periods": [{"from": "09:00", "to": "12:00"}]},
                {"date": "2026-12-25", "name": "Christmas"},
            ],
        });
        change(&mut spec);
        serde_json::from_value(spec).unwrap()
    }

    fn refused(change: impl FnOnce(&mut serde_json::Value)) -> (String, String) {
        let bad = Schedule::new(spec(change)).unwrap_err();
        (bad.place().to_string(), bad.to_string())
    }

    #[test]
    fn checked_hours_are_in_order_and_are_stored_as_they_are_written() {
        let schedule = Schedule::new(spec(|_| {})).unwrap();
        let stored = json!({
            "name": "Support",
            "time_zone": "Europe/Berlin",
            "periods": {
                "monday": [{"from": "09:00", "to": "12:00"}, {"from": "13:00", "to": "17:30"}],
                "tuesday": [], "wednesday": [], "thursday": [], "friday": [], "saturday": [], "sunday": [],
            },
            "holidays": [
                {"date": "2026-12-25", "name": "Christmas", "periods": []},
                {"date": "2026-12-31", "name": "New Year's Eve", "periods": [{"from": "09:00", "to": "12:00"}]},
            ],
        });
        assert_eq!(serde_json::to_value(&schedule).unwrap(), stored);
        assert_eq!(serde_json::from_value::<Schedule>(stored).unwrap(), schedule);
    }

    #[test]
    fn an_error_names_the_member() {
        let (place, problem) = refused(|spec| spec["periods"]["monday"][1]["to"] = "09:00".into());
        assert_eq!(place, "periods.monday[1].to");
        assert_eq!(problem, "expected a time after 09:00; write a period that passes midnight as two");
        let (place, problem) = refused(|spec| spec["periods"]["monday"][1]["to"] = "13:01".into());
        assert_eq!(
            (place.as_str(), problem.as_str()),
            ("periods.monday[1]", "overlaps the period from 13:00 to 17:30")
        );
        let late = json!([{"from": "24:00", "to": "24:00"}]);
        assert_eq!(refused(|spec| spec["periods"]["sunday"] = late).0, "periods.sunday[0].from");
        let nine: Vec<_> =
            (0..9).map(|hour| json!({"from": format!("0{hour}:00"), "to": format!("0{hour}:30")})).collect();
        assert_eq!(refused(|spec| spec["holidays"][1]["periods"] = json!(nine)).0, "holidays[1].periods");
        assert!(Schedule::new(spec(|spec| spec["periods"]["friday"] = json!(nine[..8]))).is_ok());
        assert_eq!(
            refused(|spec| spec["holidays"][0]["periods"][0]["to"] = "08:00".into()).0,
            "holidays[0].periods[0].to"
        );
        assert_eq!(refused(|spec| spec["holidays"][1]["name"] = "".into()).0, "holidays[1].name");
        let (place, problem) = refused(|spec| spec["holidays"][1]["date"] = "2026-12-31".into());
        assert_eq!((place.as_str(), problem.as_str()), ("holidays[1].date", "another holiday has this date"));
        assert_eq!(refused(|spec| spec["time_zone"] = "Berlin".into()).0, "time_zone");
        assert_eq!(refused(|spec| spec["name"] = "x".repeat(101).into()).0, "name");
        let many: Vec<_> = (0..=MAX_HOLIDAYS).map(|_| json!({"date": "2026-01-01", "name": "x"})).collect();
        assert_eq!(refused(|spec| spec["holidays"] = many.into()).0, "holidays");
    }

    #[test]
    fn periods_that_touch_stay_two() {
        let touching = json!([{"from": "12:00", "to": "24:00"}, {"from": "00:00", "to": "12:00"}]);
        let schedule = Schedule::new(spec(|spec| spec["periods"]["monday"] = touching)).unwrap();
        assert_eq!(schedule.spec().periods.monday.len(), 2);
    }

    #[test]
    fn a_misspelt_weekday_is_refused() {
        let week = serde_json::from_value::<Week>(json!({"mondays": []}));
        assert!(week.unwrap_err().to_string().starts_with("unknown field `mondays`"));
    }
}
