//! The same answers, found by looking at every minute.

use std::collections::HashMap;

use domain::Timestamp;
use domain::automation::opening_hours::{Period, Schedule};
use jiff::civil::Date;
use jiff::tz::TimeZone;

const MINUTE: i64 = 60_000_000;
/// Minutes before and after the window whose local times count for its periods.
const MARGIN: i64 = 2 * 24 * 60;

/// Whether each minute of a window is open.
pub(crate) struct Minutes {
    first: i64,
    open: Vec<bool>,
}

impl Minutes {
    /// `first` is the first minute of the window, counted from 1970.
    pub fn of(schedule: &Schedule, first: i64, count: i64) -> Self {
        let zone = TimeZone::get(&schedule.spec().time_zone).unwrap();
        let mut spans: HashMap<(Date, usize), (i64, i64)> = HashMap::new();
        for minute in first - MARGIN..first + count + MARGIN {
            let shown = zone.to_datetime(jiff::Timestamp::from_second(minute * 60).unwrap());
            let of_day = i64::from(shown.hour()) * 60 + i64::from(shown.minute());
            for (i, period) in periods_on(schedule, shown.date()).iter().enumerate() {
                if (i64::from(period.from.minutes())..i64::from(period.to.minutes())).contains(&of_day) {
                    spans.entry((shown.date(), i)).or_insert((minute, minute)).1 = minute;
                }
            }
        }
        let mut open = vec![false; usize::try_from(count).unwrap()];
        for (from, to) in spans.into_values() {
            for minute in from.max(first)..=to.min(first + count - 1) {
                open[usize::try_from(minute - first).unwrap()] = true;
            }
        }
        Self { first, open }
    }

    fn start(&self, index: usize) -> Timestamp {
        Timestamp::from_micros((self.first + i64::try_from(index).unwrap()) * MINUTE)
    }

    fn index(&self, at: Timestamp) -> usize {
        usize::try_from(at.micros().div_euclid(MINUTE) - self.first).unwrap()
    }

    pub fn end(&self) -> Timestamp {
        self.start(self.open.len())
    }

    pub fn is_open(&self, at: Timestamp) -> bool {
        self.open[self.index(at)]
    }

    pub fn next_change(&self, at: Timestamp) -> Option<Timestamp> {
        let now = self.index(at);
        (now + 1..self.open.len()).find(|i| self.open[*i] != self.open[now]).map(|i| self.start(i))
    }

    pub fn next_opening(&self, at: Timestamp) -> Option<Timestamp> {
        (self.index(at) + 1..self.open.len()).find(|i| self.open[*i] && !self.open[i - 1]).map(|i| self.start(i))
    }

    /// None if the window does not contain it.
    pub fn closed_period_start(&self, at: Timestamp) -> Option<Timestamp> {
        (0..self.index(at)).rev().find(|i| self.open[*i]).map(|i| self.start(i + 1))
    }

    /// In microseconds.
    pub fn open_time(&self, from: Timestamp, to: Timestamp) -> i64 {
        let part = |i: usize| self.start(i + 1).min(to).micros() - self.start(i).max(from).micros();
        (self.index(from)..=self.index(to)).filter(|i| self.open[*i]).map(part).sum()
    }

    /// None if the window does not contain it.
    pub fn add_open_seconds(&self, from: Timestamp, seconds: i64) -> Option<Timestamp> {
        let mut missing = seconds * 1_000_000;
        for i in (self.index(from)..self.open.len()).filter(|i| self.open[*i]) {
            let start = self.start(i).max(from);
            let length = self.start(i + 1).micros() - start.micros();
            if missing <= length {
                return Some(start.plus_micros(missing));
            }
            missing -= length;
        }
        None
    }
}

fn periods_on(schedule: &Schedule, date: Date) -> &[Period] {
    let spec = schedule.spec();
    if let Some(holiday) = spec.holidays.iter().find(|holiday| holiday.date.to_string() == date.to_string()) {
        return &holiday.periods;
    }
    let week = &spec.periods;
    let days =
        [&week.monday, &week.tuesday, &week.wednesday, &week.thursday, &week.friday, &week.saturday, &week.sunday];
    days[usize::try_from(date.weekday().to_monday_zero_offset()).unwrap()]
}
