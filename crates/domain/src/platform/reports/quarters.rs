//! Quarter hours, and the days, weeks and hours of the week that they belong to in a zone.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Range};

use crate::Timestamp;
use crate::base::zone::{Zone, ZoneDay};

const SECONDS: i64 = 15 * 60;

/// A quarter hour: its number since 1970. Offsets of zones are whole quarters of an hour, so a quarter hour is in one
/// hour and one day of every zone. (Before 1972 some had other offsets; there the quarter's first instant counts.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarter(i64);

/// An hour of the week on the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HourOfWeek {
    /// 0 is Monday.
    pub weekday: usize,
    pub hour: usize,
}

impl Quarter {
    pub const fn of(at: Timestamp) -> Self {
        Self(at.seconds().div_euclid(SECONDS))
    }

    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    pub const fn number(self) -> i64 {
        self.0
    }

    /// Its first instant.
    pub const fn start(self) -> Timestamp {
        Timestamp::from_seconds(self.0 * SECONDS)
    }

    pub fn day(self, zone: &Zone) -> ZoneDay {
        zone.day_of(self.start())
    }

    /// The Monday of its week.
    pub fn week(self, zone: &Zone) -> ZoneDay {
        let day = self.day(zone);
        day.minus_days(i64::try_from(day.weekday()).unwrap_or(0))
    }

    pub fn hour_of_week(self, zone: &Zone) -> HourOfWeek {
        HourOfWeek { weekday: self.day(zone).weekday(), hour: zone.hour_of(self.start()) }
    }
}

/// The quarter hours from the first instant of one day to the last of another.
pub fn quarters_of(first: ZoneDay, last: ZoneDay, zone: &Zone) -> Range<Quarter> {
    let from = |day: ZoneDay| Quarter(zone.start_of(day).seconds().div_euclid(SECONDS));
    from(first)..last.next().map_or(Quarter(i64::MAX), from)
}

/// Merges the values of quarter hours that have the same key, such as their day:
/// `grouped(rows, |quarter| quarter.day(&zone))`.
pub fn grouped<K: Ord, V: Default + for<'a> AddAssign<&'a V>>(
    rows: impl IntoIterator<Item = (Quarter, V)>,
    key: impl Fn(Quarter) -> K,
) -> BTreeMap<K, V> {
    let mut groups = BTreeMap::new();
    for (quarter, value) in rows {
        *groups.entry(key(quarter)).or_insert_with(V::default) += &value;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        crate::base::time::Moment::parse(text).unwrap().first()
    }

    fn zone(name: &str) -> Zone {
        Zone::named(name).unwrap()
    }

    #[test]
    fn a_quarter_hour_has_a_number_and_a_first_instant() {
        let quarter = Quarter::of(at("2026-04-24T10:14:59Z"));
        assert_eq!(quarter, Quarter::of(at("2026-04-24T10:00:00Z")));
        assert_eq!(quarter.start(), at("2026-04-24T10:00:00Z"));
        assert_eq!(Quarter::from_number(quarter.number() + 1), Quarter::of(at("2026-04-24T10:15:00Z")));
        assert_eq!(Quarter::of(Timestamp::from_seconds(-1)).number(), -1);
    }

    #[test]
    fn zones_with_half_and_quarter_hours_have_their_own_days_and_hours() {
        let quarter = Quarter::of(at("2026-04-24T18:15:00Z"));
        for (name, day, weekday, hour) in [
            ("UTC", "2026-04-24", 4, 18),
            ("Asia/Kolkata", "2026-04-24", 4, 23),
            ("Asia/Kathmandu", "2026-04-25", 5, 0),
            ("America/St_Johns", "2026-04-24", 4, 15),
        ] {
            assert_eq!(quarter.day(&zone(name)).to_string(), day, "{name}");
            assert_eq!(quarter.hour_of_week(&zone(name)), HourOfWeek { weekday, hour }, "{name}");
        }
        assert_eq!(quarter.week(&zone("UTC")).to_string(), "2026-04-20");
        assert_eq!(Quarter::of(at("2026-04-19T18:15:00Z")).week(&zone("Asia/Kathmandu")).to_string(), "2026-04-20");
        assert_eq!(Quarter::of(at("2026-04-19T18:14:00Z")).week(&zone("Asia/Kathmandu")).to_string(), "2026-04-13");
    }

    #[test]
    fn days_on_which_the_clock_changes_have_92_or_100_quarters() {
        let berlin = zone("Europe/Berlin");
        let quarters = |text: &str| {
            let day = berlin.day_of(at(text));
            let Range { start, end } = quarters_of(day, day, &berlin);
            assert!((start.number()..end.number()).all(|number| Quarter(number).day(&berlin) == day));
            end.number() - start.number()
        };
        assert_eq!(
            [quarters("2026-03-29T12:00:00Z"), quarters("2026-04-24T12:00:00Z"), quarters("2026-10-25T12:00:00Z")],
            [92, 96, 100]
        );
        // The hour from two to three is there twice, and both belong to the same cell.
        let twice =
            ["2026-10-25T00:00:00Z", "2026-10-25T01:45:00Z"].map(|text| Quarter::of(at(text)).hour_of_week(&berlin));
        assert_eq!(twice, [HourOfWeek { weekday: 6, hour: 2 }; 2]);
    }

    #[test]
    fn values_of_a_group_are_merged() {
        let utc = Zone::utc();
        let rows = [("2026-04-24T23:45:00Z", 2_i64), ("2026-04-25T00:00:00Z", 3), ("2026-04-24T00:00:00Z", 5)];
        let days = grouped(rows.map(|(text, count)| (Quarter::of(at(text)), count)), |quarter| quarter.day(&utc));
        let days: Vec<_> = days.into_iter().map(|(day, count)| (day.to_string(), count)).collect();
        assert_eq!(days, [("2026-04-24".to_owned(), 7), ("2026-04-25".to_owned(), 3)]);
    }
}
