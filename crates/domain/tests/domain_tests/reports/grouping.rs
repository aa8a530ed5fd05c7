//! Quarter hours in groups: no count is lost or counted twice in any zone.

use std::collections::BTreeMap;

use domain::Timestamp;
use domain::base::zone::Zone;
use domain::platform::reports::{DurationHistogram, HourOfWeek, Quarter, grouped, quarters_of};
use proptest::prelude::*;

/// Zones with half and quarter hours, with changes of half an hour, at midnight, and across the date line.
const ZONES: [&str; 12] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Pacific/Apia",
    "Pacific/Chatham",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Africa/Casablanca",
];

/// From 2008 to 2035.
fn quarters() -> impl Strategy<Value = Vec<(Quarter, i64)>> {
    prop::collection::vec((1_200_000_000_i64..2_060_000_000, 1_i64..9), 0..200)
        .prop_map(|all| all.into_iter().map(|(at, count)| (Quarter::of(Timestamp::from_seconds(at)), count)).collect())
}

fn zone(name: &str) -> Zone {
    Zone::named(name).unwrap()
}

/// Days since 1970 of a zone that never changes its offset.
fn day_by_offset(quarter: Quarter, offset: i64) -> i64 {
    (quarter.start().seconds() + offset).div_euclid(86_400)
}

proptest! {
    #[test]
    fn groups_have_the_total(rows in quarters(), name in prop::sample::select(&ZONES[..])) {
        let (zone, total) = (zone(name), rows.iter().map(|(_, count)| count).sum::<i64>());
        let days = grouped(rows.clone(), |quarter| quarter.day(&zone));
        let weeks = grouped(rows.clone(), |quarter| quarter.week(&zone));
        let cells: BTreeMap<HourOfWeek, i64> = grouped(rows.clone(), |quarter| quarter.hour_of_week(&zone));
        prop_assert_eq!(days.values().sum::<i64>(), total);
        prop_assert_eq!(weeks.values().sum::<i64>(), total);
        prop_assert_eq!(cells.values().sum::<i64>(), total);
        prop_assert!(cells.keys().all(|cell| (0..7).contains(&cell.weekday) && (0..24).contains(&cell.hour)));
        for (day, count) in &days {
            let week = day.minus_days(i64::try_from(day.weekday()).unwrap());
            prop_assert!(weeks.get(&week).is_some_and(|of_week| of_week >= count));
        }
    }

    #[test]
    fn groups_of_histograms_have_all_durations(rows in quarters(), name in prop::sample::select(&ZONES[..])) {
        let zone = zone(name);
        let mut whole = DurationHistogram::default();
        let each = |(quarter, seconds): (Quarter, i64)| {
            let mut one = DurationHistogram::default();
            one.record(seconds);
            (quarter, one)
        };
        let rows: Vec<_> = rows.into_iter().map(each).collect();
        for (_, one) in &rows {
            whole += one;
        }
        let mut sum = DurationHistogram::default();
        for one in grouped(rows, |quarter| quarter.day(&zone)).values() {
            sum += one;
        }
        prop_assert_eq!(sum, whole);
    }

    #[test]
    fn zones_with_one_offset_equal_plain_arithmetic(rows in quarters()) {
        for (name, offset) in [("Asia/Kolkata", 19_800), ("Asia/Kathmandu", 20_700), ("UTC", 0)] {
            let zone = zone(name);
            for (quarter, _) in &rows {
                let day = day_by_offset(*quarter, offset);
                prop_assert_eq!(quarter.day(&zone), Zone::utc().day_of(Timestamp::from_seconds(day * 86_400)));
                let hour = (quarter.start().seconds() + offset).rem_euclid(86_400) / 3_600;
                // 1970-01-01 was a Thursday.
                let weekday = (day + 3).rem_euclid(7);
                let cell = quarter.hour_of_week(&zone);
                let expected = (usize::try_from(weekday).unwrap(), usize::try_from(hour).unwrap());
                prop_assert_eq!((cell.weekday, cell.hour), expected);
            }
        }
    }

    #[test]
    fn the_quarters_of_days_are_those_that_fall_on_them(
        at in 1_700_000_000_i64..2_060_000_000,
        length in 0_i64..4,
        name in prop::sample::select(&ZONES[..]),
    ) {
        let zone = zone(name);
        let last = zone.day_of(Timestamp::from_seconds(at));
        let first = last.minus_days(length);
        let range = quarters_of(first, last, &zone);
        let around = range.start.number() - 200..range.end.number() + 200;
        for quarter in around.map(Quarter::from_number) {
            let day = quarter.day(&zone);
            prop_assert_eq!(range.contains(&quarter), first <= day && day <= last, "{:?}", quarter.start());
        }
    }
}
