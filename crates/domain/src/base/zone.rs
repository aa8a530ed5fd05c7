//! Time zones by their IANA names, and the days of a zone. The database of zones is part of the binary, so that every
//! server counts the same days.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no such time zone; expected an IANA name such as Europe/Berlin")]
pub struct UnknownZone;

#[derive(Debug, Clone)]
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

    /// The day that an instant falls on.
    pub fn day_of(&self, at: Timestamp) -> ZoneDay {
        let instant = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or_default();
        ZoneDay(instant.to_zoned(self.0.clone()).date())
    }

    /// The first instant of a day; where the clock skips midnight, the first instant after the gap.
    pub fn start_of(&self, day: ZoneDay) -> Timestamp {
        let start = day.0.to_zoned(self.0.clone()).and_then(|zoned| zoned.start_of_day());
        start.map_or(Timestamp::from_micros(i64::MAX), |start| {
            Timestamp::from_micros(start.timestamp().as_microsecond())
        })
    }
}

/// A day of a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ZoneDay(Date);

impl ZoneDay {
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
    fn days_are_counted_back() {
        let utc = Zone::utc();
        assert_eq!(utc.day_of(at("2026-03-01")).minus_days(1).to_string(), "2026-02-28");
        assert_eq!(utc.day_of(Timestamp::from_micros(i64::MAX)).to_string().len(), 10);
    }
}
