//! Random schedules, zones and years, half of them around a change of the clock.

use domain::Timestamp;
use domain::automation::opening_hours::{Holiday, Period, Schedule, TimeOfDay, Week};
use domain::base::zone::ZoneDay;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::minutes::Minutes;
use super::schedule;

const ZONES: &[&str] = &[
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/Havana",
    "America/Santiago",
    "America/St_Johns",
    "Antarctica/Troll",
    "Atlantic/Azores",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "UTC",
];

const DAY: i64 = 24 * 60 * 60;
/// Days before and after the middle of the window that the minutes are counted in.
const DAYS: i64 = 6;

/// Up to four periods; some touch, some begin or end at midnight.
fn day() -> impl Strategy<Value = Vec<Period>> {
    let minute = prop_oneof![1 => Just(0_u16), 1 => Just(1440), 6 => (0_u16..=96).prop_map(|quarter| quarter * 15), 2 => 0_u16..=1440];
    let days = prop::collection::vec((minute.clone(), minute), 0..5);
    days.prop_map(|pairs| {
        let mut times: Vec<u16> = pairs.into_iter().flat_map(|(from, to)| [from, to]).collect();
        times.sort_unstable();
        let time = |minutes: u16| TimeOfDay::from_minutes(minutes).unwrap();
        let period = |pair: &[u16]| Period { from: time(pair[0]), to: time(pair[1]) };
        times.chunks(2).filter(|pair| pair[0] < pair[1]).map(period).collect()
    })
}

fn week() -> impl Strategy<Value = Week> {
    let days = prop_oneof![8 => day(), 2 => Just(Vec::new())];
    prop::array::uniform7(days).prop_map(|[monday, tuesday, wednesday, thursday, friday, saturday, sunday]| Week {
        monday,
        tuesday,
        wednesday,
        thursday,
        friday,
        saturday,
        sunday,
    })
}

/// A schedule, and an instant that is in its holidays and, every other time, near a change of the clock.
fn schedule_and_instant() -> impl Strategy<Value = (Schedule, Timestamp)> {
    let zone = prop::sample::select(ZONES);
    let start = (1975_i64..2090, 0..365 * DAY, any::<bool>(), -4 * DAY..4 * DAY, 0..1_000_000_i64);
    let holidays = prop::collection::btree_map(-12_i64..12, day(), 0..6);
    (zone, week(), start, holidays).prop_map(|(zone, week, (year, offset, near_change, around, micros), holidays)| {
        let mut second = (year - 1970) * 365 * DAY + offset;
        if near_change {
            let after = jiff::Timestamp::from_second(second).unwrap();
            let change =
                TimeZone::get(zone).unwrap().following(after).next().map(|change| change.timestamp().as_second());
            second = change.unwrap_or(second) + around;
        }
        let at = Timestamp::from_micros(second * 1_000_000 + micros);
        let today: ZoneDay = at.to_rfc3339()[..10].parse().unwrap();
        let holidays = holidays.into_iter().map(|(days, periods)| Holiday {
            date: today.plus_days(days).unwrap(),
            name: "A holiday".to_owned(),
            periods,
        });
        (schedule(zone, week, holidays.collect()), at)
    })
}

fn minutes_around(schedule: &Schedule, at: Timestamp) -> Minutes {
    Minutes::of(schedule, at.seconds() / 60 - DAYS * 24 * 60, 2 * DAYS * 24 * 60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if crate::pacing::long() { 10_000 } else { 60 }))]

    #[test]
    fn every_answer_equals_that_of_the_minutes(
        (schedule, at) in schedule_and_instant(),
        distance in 0..5 * DAY * 1_000_000,
        wanted in 1..40 * 60 * 60_i64,
    ) {
        let minutes = minutes_around(&schedule, at);
        prop_assert_eq!(schedule.is_open(at), minutes.is_open(at));
        for (found, expected) in [
            (schedule.next_change(at), minutes.next_change(at)),
            (schedule.next_opening(at), minutes.next_opening(at)),
            (schedule.add_open_seconds(at, wanted), minutes.add_open_seconds(at, wanted)),
        ] {
            prop_assert_eq!(found.filter(|found| *found < minutes.end()), expected.filter(|at| *at < minutes.end()));
        }
        let start = schedule.closed_period_start(at);
        prop_assert_eq!(start.is_none(), minutes.is_open(at));
        if let (Some(start), Some(expected)) = (start, minutes.closed_period_start(at)) {
            prop_assert_eq!(start, expected);
        }
        let to = at.plus_micros(distance);
        prop_assert_eq!(schedule.open_seconds(at, to), minutes.open_time(at, to) / 1_000_000);
        prop_assert_eq!(schedule.open_seconds(to, at), 0);
    }

    /// Short sums visit every day, long ones skip weeks.
    #[test]
    fn a_long_time_is_the_sum_of_its_days(
        (schedule, at) in schedule_and_instant(),
        days in 20..1200_i64,
        rest in 0..DAY,
    ) {
        let from = Timestamp::from_seconds(at.seconds() - days / 2 * DAY);
        let ends = (1..=days).map(|day| from.plus_seconds(day * DAY)).chain([from.plus_seconds(days * DAY + rest)]);
        let (mut sum, mut start) = (0, from);
        for end in ends {
            sum += schedule.open_seconds(start, end);
            start = end;
        }
        prop_assert_eq!(schedule.open_seconds(from, start), sum);
        if let Some(reached) = schedule.add_open_seconds(from, sum) {
            prop_assert_eq!(schedule.open_seconds(from, reached), sum);
            prop_assert!(reached <= start);
            prop_assert!(sum == 0 || schedule.open_seconds(from, reached.plus_micros(-1)) < sum);
        } else {
            prop_assert_eq!(sum, 0);
        }
    }

    #[test]
    fn all_instants_of_a_closed_period_share_its_start((schedule, at) in schedule_and_instant()) {
        if let Some(start) = schedule.closed_period_start(at) {
            let end = schedule.next_change(at).unwrap_or(at.plus_seconds(500 * DAY));
            let last = end.plus_micros(-1);
            prop_assert_eq!(schedule.closed_period_start(last), Some(start));
            prop_assert!(start == Timestamp::from_micros(0) || !schedule.is_open(start));
        }
    }
}
