//! Ordinary weeks, holidays, and days on which the clock changes.

use domain::Timestamp;
use domain::automation::opening_hours::{Schedule, Week};

use super::{at, daily, holiday, office_week, periods, schedule};

const HOUR: i64 = 3600;

/// The instants at which the schedule opens and closes, from one time on.
fn changes<const N: usize>(schedule: &Schedule, from: &str) -> [String; N] {
    let mut now = at(from);
    std::array::from_fn(|_| {
        now = schedule.next_change(now).unwrap();
        now.to_rfc3339().replace(".000Z", "Z")
    })
}

#[test]
fn an_office_is_closed_at_noon_and_on_weekends() {
    let office = schedule("Europe/Berlin", office_week(), Vec::new());
    let thursday = at("2026-04-23T09:00:00Z");
    assert!(office.is_open(thursday) && !office.is_open(at("2026-04-23T10:00:00Z")));
    assert!(office.is_open(at("2026-04-23T09:59:59.999Z")) && office.is_open(at("2026-04-23T11:00:00Z")));
    assert_eq!(
        changes(&office, "2026-04-23T09:00:00Z"),
        ["2026-04-23T10:00:00Z", "2026-04-23T11:00:00Z", "2026-04-23T15:30:00Z", "2026-04-24T07:00:00Z"]
    );
    assert_eq!(office.next_opening(thursday), Some(at("2026-04-23T11:00:00Z")));
    let saturday = at("2026-04-25T20:00:00Z");
    assert_eq!(office.next_opening(saturday), Some(at("2026-04-27T07:00:00Z")));
    assert_eq!(office.closed_period_start(saturday), Some(at("2026-04-24T10:00:00Z")));
    assert_eq!(office.closed_period_start(thursday), None);
    let week = office.open_seconds(at("2026-04-20T00:00:00Z"), at("2026-04-27T00:00:00Z"));
    assert_eq!(week, (4 * 15 + 6) * HOUR / 2);
    assert_eq!(office.add_open_seconds(saturday, HOUR), Some(at("2026-04-27T08:00:00Z")));
    assert_eq!(office.add_open_seconds(thursday, HOUR), Some(at("2026-04-23T10:00:00Z")));
    assert_eq!(office.add_open_seconds(thursday, HOUR + 1), Some(at("2026-04-23T11:00:01Z")));
    assert_eq!(office.add_open_seconds(saturday, 0), Some(saturday));
}

#[test]
fn a_holiday_replaces_its_weekday() {
    let holidays = vec![holiday("2026-12-25", &[]), holiday("2026-12-26", &["10:00-14:00"])];
    let office = schedule("Europe/Berlin", office_week(), holidays);
    assert_eq!(
        changes(&office, "2026-12-24T16:00:00Z"),
        ["2026-12-24T16:30:00Z", "2026-12-26T09:00:00Z", "2026-12-26T13:00:00Z", "2026-12-28T08:00:00Z"]
    );
    let friday = at("2026-12-25T10:00:00Z");
    assert_eq!(office.closed_period_start(friday), Some(at("2026-12-24T16:30:00Z")));
    assert_eq!(office.open_seconds(at("2026-12-25T00:00:00Z"), at("2026-12-28T00:00:00Z")), 4 * HOUR);
}

#[test]
fn periods_that_touch_are_one_opening() {
    let pair = daily("Europe/Berlin", &["09:00-12:00", "12:00-17:00"]);
    assert_eq!(changes(&pair, "2026-04-23T08:00:00Z"), ["2026-04-23T15:00:00Z", "2026-04-24T07:00:00Z"]);
    let night = Week { monday: periods(&["20:00-24:00"]), tuesday: periods(&["00:00-04:00"]), ..Week::default() };
    let night = schedule("Europe/Berlin", night, Vec::new());
    assert_eq!(changes(&night, "2026-04-20T00:00:00Z"), ["2026-04-20T18:00:00Z", "2026-04-21T02:00:00Z"]);
    let always = daily("Europe/Berlin", &["00:00-24:00"]);
    let now = at("2026-04-23T08:00:00Z");
    assert_eq!(
        (always.next_change(now), always.next_opening(now), always.closed_period_start(now)),
        (None, None, None)
    );
    assert_eq!(always.add_open_seconds(now, 1000 * 24 * HOUR), Some(now.plus_seconds(1000 * 24 * HOUR)));
}

#[test]
fn a_schedule_without_periods_never_opens() {
    let never = schedule("Asia/Kolkata", Week::default(), Vec::new());
    let now = at("2026-04-23T08:00:00Z");
    assert_eq!((never.is_open(now), never.next_change(now), never.next_opening(now)), (false, None, None));
    assert_eq!(never.closed_period_start(now), Some(Timestamp::from_micros(0)));
    assert_eq!((never.open_seconds(at("1970-01-01"), now), never.add_open_seconds(now, 1)), (0, None));
}

#[test]
fn a_schedule_of_holidays_alone_is_open_on_them() {
    let fair = vec![holiday("2026-04-01", &["10:00-11:00"]), holiday("2028-04-01", &["10:00-11:00"])];
    let fair = schedule("Asia/Kolkata", Week::default(), fair);
    let between = at("2027-04-01T00:00:00Z");
    assert_eq!(fair.closed_period_start(between), Some(at("2026-04-01T05:30:00Z")));
    assert_eq!(fair.add_open_seconds(between, HOUR), Some(at("2028-04-01T05:30:00Z")));
    assert_eq!(fair.add_open_seconds(between, HOUR + 1), None);
    assert_eq!(fair.open_seconds(at("2000-01-01"), at("2100-01-01")), 2 * HOUR);
}

#[test]
fn searches_end_after_400_days() {
    let later = schedule("UTC", Week::default(), vec![holiday("2027-06-01", &["00:00-24:00"])]);
    let opening = at("2027-06-01T00:00:00Z");
    let before = opening.plus_seconds(-400 * 24 * HOUR);
    assert_eq!((later.next_opening(before), later.next_change(before)), (Some(opening), Some(opening)));
    let earlier = before.plus_seconds(-1);
    assert_eq!((later.next_opening(earlier), later.next_change(earlier)), (None, None));
}

#[test]
fn a_closed_period_keeps_its_start_however_long_it_is() {
    let mondays = Week { monday: periods(&["09:00-10:00"]), ..Week::default() };
    let first = at("2026-04-27T00:00:00Z");
    let closed = (0..400).map(|week| {
        let monday = first.plus_seconds(week * 7 * 24 * HOUR).to_rfc3339();
        holiday(&monday[..10], &[])
    });
    let strike = schedule("UTC", mondays, closed.collect());
    let start = Some(at("2026-04-20T10:00:00Z"));
    for day in [0, 7, 500, 2_799, 2_800] {
        assert_eq!(strike.closed_period_start(first.plus_seconds(day * 24 * HOUR)), start, "{day}");
    }
}

#[test]
fn berlin_loses_an_hour_in_spring_and_repeats_one_in_autumn() {
    let night = daily("Europe/Berlin", &["01:30-02:30", "02:45-03:30"]);
    // The clock skips 02:00 to 03:00.
    assert_eq!(
        changes(&night, "2026-03-29T00:00:00Z"),
        ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T23:30:00Z", "2026-03-30T00:30:00Z"]
    );
    let skipped = daily("Europe/Berlin", &["02:15-02:45"]);
    assert_eq!(changes(&skipped, "2026-03-29T00:00:00Z"), ["2026-03-30T00:15:00Z", "2026-03-30T00:45:00Z"]);
    // The clock shows 02:00 to 03:00 twice: the first period lasts until the second 02:30, the second one begins with
    // the first 02:45.
    assert_eq!(
        changes(&night, "2026-10-24T12:00:00Z"),
        ["2026-10-24T23:30:00Z", "2026-10-25T02:30:00Z", "2026-10-26T00:30:00Z", "2026-10-26T01:30:00Z"]
    );
    let both = daily("Europe/Berlin", &["02:15-02:45"]);
    assert_eq!(changes(&both, "2026-10-24T12:00:00Z"), ["2026-10-25T00:15:00Z", "2026-10-25T01:45:00Z"]);
    // A period that ends when the repeated hour begins does not include it.
    let early = daily("Europe/Berlin", &["01:00-02:00"]);
    assert_eq!(changes(&early, "2026-10-24T12:00:00Z"), ["2026-10-24T23:00:00Z", "2026-10-25T00:00:00Z"]);
    let long = daily("Europe/Berlin", &["00:00-24:00"]);
    let hours = |from: &str, to: &str| long.open_seconds(at(from), at(to)) / HOUR;
    assert_eq!(hours("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), 23);
    assert_eq!(hours("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"), 25);
}

#[test]
fn new_york_repeats_the_hour_from_one() {
    let bar = Week { sunday: periods(&["00:00-01:30"]), ..Week::default() };
    let bar = schedule("America/New_York", bar, Vec::new());
    assert_eq!(changes(&bar, "2026-10-31T12:00:00Z"), ["2026-11-01T04:00:00Z", "2026-11-01T06:30:00Z"]);
    assert_eq!(changes(&bar, "2026-03-07T12:00:00Z"), ["2026-03-08T05:00:00Z", "2026-03-08T06:30:00Z"]);
    assert_eq!(bar.closed_period_start(at("2026-11-02T00:00:00Z")), Some(at("2026-11-01T06:30:00Z")));
}

#[test]
fn kolkata_is_half_an_hour_off_and_never_changes_its_clock() {
    let office = daily("Asia/Kolkata", &["09:00-18:00"]);
    assert_eq!(
        changes(&office, "2026-03-29T00:00:00Z"),
        ["2026-03-29T03:30:00Z", "2026-03-29T12:30:00Z", "2026-03-30T03:30:00Z"]
    );
    assert_eq!(office.open_seconds(at("2000-01-01T00:00:00Z"), at("2400-01-01T00:00:00Z")), 146_097 * 9 * HOUR);
}

#[test]
fn lord_howe_changes_its_clock_by_half_an_hour() {
    let night = daily("Australia/Lord_Howe", &["01:45-02:15"]);
    // On 5 April 2026, 02:00 (+11) becomes 01:30 (+10:30).
    assert_eq!(changes(&night, "2026-04-04T12:00:00Z"), ["2026-04-04T14:45:00Z", "2026-04-04T15:45:00Z"]);
    // On 4 October 2026, 02:00 (+10:30) becomes 02:30 (+11).
    assert_eq!(changes(&night, "2026-10-03T12:00:00Z"), ["2026-10-03T15:15:00Z", "2026-10-03T15:30:00Z"]);
}

#[test]
fn a_day_ends_at_24_even_where_the_clock_is_set_back_at_midnight() {
    // In the Azores, 01:00 becomes 00:00 on 25 October 2026: Sunday begins once.
    let saturday = Week { saturday: periods(&["22:00-24:00"]), ..Week::default() };
    let azores = schedule("Atlantic/Azores", saturday.clone(), Vec::new());
    assert_eq!(changes(&azores, "2026-10-24T12:00:00Z"), ["2026-10-24T22:00:00Z", "2026-10-25T00:00:00Z"]);
    // In Santiago, 24:00 of 4 April 2026 becomes 23:00.
    let santiago = schedule("America/Santiago", saturday, Vec::new());
    assert_eq!(changes(&santiago, "2026-04-04T12:00:00Z"), ["2026-04-05T01:00:00Z", "2026-04-05T04:00:00Z"]);
    // In Havana, 00:00 of 8 March 2026 becomes 01:00.
    let havana = daily("America/Havana", &["00:00-24:00"]);
    assert_eq!(havana.open_seconds(at("2026-03-08T05:00:00Z"), at("2026-03-09T04:00:00Z")), 23 * HOUR);
    // Samoa had no 30 December 2011.
    let apia = schedule("Pacific/Apia", Week { friday: periods(&["09:00-17:00"]), ..Week::default() }, Vec::new());
    assert_eq!(apia.next_opening(at("2011-12-25T00:00:00Z")), Some(at("2012-01-05T19:00:00Z")));
}
