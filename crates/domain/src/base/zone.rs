//! Time zones by their IANA names, and the days of a zone. The database of zones is part of the binary, so that every
//! server counts the same days.

use std::borrow::Cow;
use std::str::FromStr;

use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no such time zone; expected an IANA name such as Europe/Berlin")]
pub struct UnknownZone;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    pub fn named(name: &str) -> Result<Self, UnknownZone> {
        // The database has an entry for times whose zone is not known.
        if name.trim().eq_ignore_ascii_case("Etc/Unknown") {
            return Err(UnknownZone);
        }
        TimeZone::get(name.trim()).map(Self).map_err(|_| UnknownZone)
    }

    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// The name as the database of zones spells it.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// The day that an instant falls on.
    pub fn day_of(&self, at: Timestamp) -> ZoneDay {
        ZoneDay(self.0.to_datetime(from_timestamp(at)).date())
    }

    /// The hour that the clock shows.
    pub fn hour_of(&self, at: Timestamp) -> usize {
        let instant = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or_default();
        usize::try_from(self.0.to_datetime(instant).hour()).unwrap_or(0)
    }

    /// The first instant of a day; where the clock skips midnight, the first instant after the gap.
    pub fn start_of(&self, day: ZoneDay) -> Timestamp {
        let start = day.0.to_zoned(self.0.clone()).and_then(|zoned| zoned.start_of_day());
        start.map_or(Timestamp::from_micros(i64::MAX), |start| to_timestamp(start.timestamp()))
    }

    /// The first instant at which the clock shows this minute of the day, counted from midnight, or a later time: where
    /// the clock skips the minute, the first instant after the gap.
    pub fn first_of_minute(&self, day: ZoneDay, minute: u16) -> Timestamp {
        self.instant(day.0, clock_time(minute, 0, 0), Pass::First)
    }

    /// The end of the last time that the clock shows this minute of the day, or an earlier one: where the clock repeats
    /// the minute, the end of its second pass; where the clock skips it, the beginning of the gap.
    pub fn end_of_minute(&self, day: ZoneDay, minute: u16) -> Timestamp {
        self.instant(day.0, clock_time(minute, 59, 999_999_000), Pass::Last).plus_micros(1)
    }

    fn instant(&self, date: Date, time: Time, pass: Pass) -> Timestamp {
        let shown = date.to_datetime(time);
        let offset = match self.0.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Fold { before, .. } if pass == Pass::First => before,
            AmbiguousOffset::Fold { after, .. } => after,
            AmbiguousOffset::Gap { after, .. } => {
                let before_gap = after.to_timestamp(shown).unwrap_or(jiff::Timestamp::MAX);
                let gap = self.0.following(before_gap).next();
                let gap = gap.map_or(jiff::Timestamp::MAX, |gap| gap.timestamp());
                return to_timestamp(gap).plus_micros(-i64::from(pass == Pass::Last));
            }
        };
        to_timestamp(offset.to_timestamp(shown).unwrap_or(jiff::Timestamp::MAX))
    }

    /// When the zone's offset from UTC may change next after an instant. None if it never does.
    pub fn next_transition(&self, after: Timestamp) -> Option<Timestamp> {
        self.0.following(from_timestamp(after)).next().map(|transition| to_timestamp(transition.timestamp()))
    }
}

/// Which pass counts where the clock shows a time twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    First,
    Last,
}

/// A minute of a day as a time. Minutes after the last one count as the last.
fn clock_time(minute: u16, second: i8, nanosecond: i32) -> Time {
    let minute = minute.min(24 * 60 - 1);
    let (hour, minute) = (i8::try_from(minute / 60).unwrap_or(0), i8::try_from(minute % 60).unwrap_or(0));
    Time::new(hour, minute, second, nanosecond).unwrap_or(Time::MIN)
}

/// Times outside of the calendar count as its ends.
fn from_timestamp(at: Timestamp) -> jiff::Timestamp {
    let end = if at.micros() < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    jiff::Timestamp::from_microsecond(at.micros()).unwrap_or(end)
}

fn to_timestamp(at: jiff::Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_microsecond())
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a date such as 2026-12-24")]
pub struct NotADay;

/// A day of a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZoneDay(Date);

impl ZoneDay {
    /// A day of the years 0 to 9999. None if the month does not have it.
    pub fn of(year: i16, month: i8, day: i8) -> Option<Self> {
        Date::new(year, month, day).ok().filter(|date| date.year() >= 0).map(Self)
    }

    pub fn year(self) -> i16 {
        self.0.year()
    }

    pub fn month(self) -> i8 {
        self.0.month()
    }

    /// The day of the month.
    pub fn day(self) -> i8 {
        self.0.day()
    }

    /// The same month and day of another year. None for 29 February where the year lacks it.
    #[must_use]
    pub fn in_year(self, year: i16) -> Option<Self> {
        Self::of(year, self.0.month(), self.0.day())
    }

    /// 0 for a Monday, 6 for a Sunday.
    pub fn weekday(self) -> usize {
        usize::try_from(self.0.weekday().to_monday_zero_offset()).unwrap_or(0)
    }

    /// Days from here to a later day; negative for an earlier one.
    pub fn days_until(self, later: Self) -> i64 {
        self.0.until(later.0).map_or(0, |span| span.get_days().into())
    }

    /// None outside of the calendar.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Option<Self> {
        let days = jiff::Span::new().try_days(days).ok()?;
        self.0.checked_add(days).ok().map(Self)
    }

    /// None after the last day of the calendar.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        self.0.tomorrow().ok().map(Self)
    }

    /// This many days before; the first day of the calendar if there is none.
    #[must_use]
    pub fn minus_days(self, days: i64) -> Self {
        Self(self.0.checked_sub(jiff::Span::new().days(days)).unwrap_or(Date::MIN))
    }
}

/// `2026-04-24`.
impl std::fmt::Display for ZoneDay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0.year(), self.0.month(), self.0.day())
    }
}

impl FromStr for ZoneDay {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, NotADay> {
        let has_form = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let date = Some(text).filter(|_| has_form).and_then(|text| text.parse().ok());
        date.filter(|date: &Date| date.year() >= 0).map(Self).ok_or(NotADay)
    }
}

impl Serialize for ZoneDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ZoneDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        crate::base::time::Moment::parse(text).unwrap().first()
    }

    #[test]
    fn zones_are_found_by_their_names() {
        for name in ["Europe/Berlin", "america/sao_paulo", "Asia/Kathmandu", "UTC", "Etc/UTC", " Asia/Kolkata "] {
            assert!(Zone::named(name).is_ok(), "{name}");
        }
        for name in ["", "Berlin", "Etc/Unknown", "+02:00", "../etc/passwd", "Europe/Berlin\0"] {
            assert_eq!(Zone::named(name).map(drop), Err(UnknownZone), "{name}");
        }
    }

    #[test]
    fn an_instant_falls_on_another_day_in_another_zone() {
        let late = at("2026-04-24T22:30:00Z");
        let day = |name: &str| Zone::named(name).unwrap().day_of(late).to_string();
        assert_eq!(
            [day("UTC"), day("Europe/Berlin"), day("America/Los_Angeles"), day("Asia/Kathmandu")],
            ["2026-04-24", "2026-04-25", "2026-04-24", "2026-04-25"]
        );
    }

    #[test]
    fn days_follow_each_other_without_a_gap() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let hours = |text: &str| {
            let day = berlin.day_of(at(text));
            (berlin.start_of(day.next().unwrap()).micros() - berlin.start_of(day).micros()) / 3_600_000_000
        };
        assert_eq!((hours("2026-03-29T12:00:00Z"), hours("2026-10-25T12:00:00Z")), (23, 25));
        assert_eq!(berlin.start_of(berlin.day_of(at("2026-04-24T10:00:00Z"))), at("2026-04-23T22:00:00Z"));
        // The clock skips midnight: the day begins at one o'clock.
        let cairo = Zone::named("Africa/Cairo").unwrap();
        assert_eq!(cairo.start_of(cairo.day_of(at("2026-04-24T12:00:00Z"))), at("2026-04-23T22:00:00Z"));
        // Samoa had no 30 December 2011.
        let apia = Zone::named("Pacific/Apia").unwrap();
        let before = apia.day_of(at("2011-12-30T09:59:59Z"));
        assert_eq!(before.to_string(), "2011-12-29");
        assert_eq!(apia.start_of(before.next().unwrap()), apia.start_of(before.next().unwrap().next().unwrap()));
    }

    #[test]
    fn an_instant_has_an_hour_and_a_weekday() {
        let night = at("2026-04-24T22:30:00Z");
        for (name, hour, weekday) in [("UTC", 22, 4), ("Europe/Berlin", 0, 5), ("Asia/Kathmandu", 4, 5)] {
            let zone = Zone::named(name).unwrap();
            assert_eq!((zone.hour_of(night), zone.day_of(night).weekday()), (hour, weekday), "{name}");
        }
    }

    #[test]
    fn days_are_counted_back() {
        let utc = Zone::utc();
        assert_eq!(utc.day_of(at("2026-03-01")).minus_days(1).to_string(), "2026-02-28");
        assert_eq!(utc.day_of(Timestamp::from_micros(i64::MAX)).to_string(), "9999-12-30");
    }

    #[test]
    fn days_are_written_and_read_as_dates() {
        let day: ZoneDay = "2026-12-24".parse().unwrap();
        assert_eq!((day.weekday(), day.year(), day.to_string().as_str()), (3, 2026, "2026-12-24"));
        assert_eq!(serde_json::to_value(day).unwrap(), "2026-12-24");
        assert_eq!(serde_json::from_value::<ZoneDay>("2026-12-24".into()).unwrap(), day);
        for bad in
            ["", "2026-02-30", "2026-12-2", "26-12-24", "2026/12/24", "2026-12-24T10:00", "-026-12-24", "20261224"]
        {
            assert_eq!(bad.parse::<ZoneDay>(), Err(NotADay), "{bad}");
        }
        assert_eq!(day.in_year(2027).map(|day| day.to_string()).as_deref(), Some("2027-12-24"));
        let leap: ZoneDay = "2024-02-29".parse().unwrap();
        assert_eq!((leap.in_year(2025), leap.in_year(2028).is_some()), (None, true));
        assert_eq!((leap.days_until(day), day.days_until(leap)), (1029, -1029));
        assert_eq!(leap.plus_days(1029), Some(day));
    }

    #[test]
    fn skipped_minutes_begin_and_end_at_the_gap() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let spring: ZoneDay = "2026-03-29".parse().unwrap();
        let gap = at("2026-03-29T01:00:00Z");
        for minute in [120, 150, 179, 180] {
            assert_eq!(berlin.first_of_minute(spring, minute), gap, "{minute}");
        }
        for minute in [119, 120, 150, 179] {
            assert_eq!(berlin.end_of_minute(spring, minute), gap, "{minute}");
        }
        assert_eq!(berlin.end_of_minute(spring, 180), at("2026-03-29T01:01:00Z"));
        assert_eq!(berlin.next_transition(gap.plus_micros(-1)), Some(gap));
        assert_eq!(berlin.next_transition(gap), Some(at("2026-10-25T01:00:00Z")));
        assert_eq!(
            (Zone::utc().next_transition(gap), Zone::utc().name(), berlin.name()),
            (None, "UTC", "Europe/Berlin")
        );
    }

    #[test]
    fn repeated_minutes_begin_with_their_first_pass_and_end_with_their_last() {
        let new_york = Zone::named("america/new_york").unwrap();
        let autumn: ZoneDay = "2026-11-01".parse().unwrap();
        assert_eq!(new_york.first_of_minute(autumn, 90), at("2026-11-01T05:30:00Z"));
        assert_eq!(new_york.end_of_minute(autumn, 89), at("2026-11-01T06:30:00Z"));
        assert_eq!(new_york.end_of_minute(autumn, 59), at("2026-11-01T05:00:00Z"));
        assert_eq!(new_york.end_of_minute(autumn, 1439), at("2026-11-02T05:00:00Z"));
        assert_eq!(new_york.name(), "America/New_York");
    }
}
