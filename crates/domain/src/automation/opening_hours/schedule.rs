//! When a schedule is open.
//!
//! A period is open from the first to the last instant at which the clock of its zone shows a time from `from` until
//! just before `to` on that day. So where the clock skips `from` or `to`, the period begins or ends at the gap, and a
//! period inside the gap does not take place. Where the clock repeats times of the period, both passes are open, with
//! everything between them.
//!
//! Searches look at the days near an instant and end after [`SEARCH_DAYS`]. Sums over longer times skip whole weeks
//! that have no holiday and no change of the clock.

use std::iter;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::BadSchedule;
use super::spec::{Period, ScheduleSpec};
use crate::Timestamp;
use crate::base::zone::{Zone, ZoneDay};

/// How far ahead a schedule looks for its next opening or closing, in days of 24 hours.
pub const SEARCH_DAYS: i64 = 400;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;
/// The first instant of 9999, near the end of the calendar.
const LAST: Timestamp = Timestamp::from_seconds(253_370_764_800);

/// Opening hours that passed their check, ready to calculate. Stored as JSON, in the form of its [`ScheduleSpec`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    spec: ScheduleSpec,
    zone: Zone,
    /// Microseconds of open time in a week without holidays and changes of the clock.
    week: i64,
}

/// Open from `start` until just before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: Timestamp,
    end: Timestamp,
}

impl Schedule {
    pub fn new(spec: ScheduleSpec) -> Result<Self, BadSchedule> {
        let (spec, zone) = spec.checked()?;
        let minutes = |period: &Period| i64::from(period.to.minutes() - period.from.minutes());
        let week: i64 = spec.periods.days().into_iter().flatten().map(minutes).sum();
        Ok(Self { spec, zone, week: week * 60 * SECOND })
    }

    pub const fn spec(&self) -> &ScheduleSpec {
        &self.spec
    }

    pub fn into_spec(self) -> ScheduleSpec {
        self.spec
    }

    pub fn is_open(&self, at: Timestamp) -> bool {
        let mut near = days_from(self.day_before(at)).take(3).flat_map(|day| self.spans_on(day));
        near.any(|span| span.start <= at && at < span.end)
    }

    /// When the schedule next opens or closes after an instant.
    pub fn next_change(&self, at: Timestamp) -> Option<Timestamp> {
        let span = self.spans_after(at).next()?;
        within_search(at, if at < span.start { span.start } else { span.end })
    }

    /// When the schedule next opens after an instant. While it is open, that is after its next closing.
    pub fn next_opening(&self, at: Timestamp) -> Option<Timestamp> {
        let start = self.spans_after(at).map(|span| span.start).find(|start| *start > at)?;
        within_search(at, start)
    }

    /// When the schedule closed last, if it is closed at an instant. All instants of one closed period have the same
    /// result. 1970 if the schedule was never open before; None while it is open.
    pub fn closed_period_start(&self, at: Timestamp) -> Option<Timestamp> {
        if self.is_open(at) {
            return None;
        }
        let day = self.day_before(at);
        // A day of each week is open unless it is a holiday or its periods are inside a gap of the clock. If no weekday
        // has periods, only holidays are left.
        let weeks = i64::try_from(self.spec.holidays.len()).unwrap_or(0) + 3;
        let last_day = day.plus_days(2).unwrap_or(day);
        let days = (0..weeks * 7).map(|back| last_day.minus_days(back));
        let holidays = self.spec.holidays.iter().rev().map(|holiday| holiday.date).filter(|date| *date <= last_day);
        let mut closings = days.chain(holidays).flat_map(|day| self.spans_on(day).rev()).map(|span| span.end);
        Some(closings.find(|end| *end <= at).unwrap_or(Timestamp::from_micros(0)))
    }

    /// Whole seconds of open time from one instant to another.
    pub fn open_seconds(&self, from: Timestamp, to: Timestamp) -> i64 {
        self.open_micros(from, to) / SECOND
    }

    /// Microseconds of open time from one instant to another.
    pub fn open_micros(&self, from: Timestamp, to: Timestamp) -> i64 {
        OpenTime::new(from, to, i64::MAX).count(self).open
    }

    /// The first instant by which so many seconds of open time have passed since `from`. None if the schedule is never
    /// open for so long.
    pub fn add_open_seconds(&self, from: Timestamp, seconds: i64) -> Option<Timestamp> {
        self.add_open_micros(from, seconds.saturating_mul(SECOND))
    }

    /// As [`add_open_seconds`](Self::add_open_seconds), with microseconds.
    pub fn add_open_micros(&self, from: Timestamp, micros: i64) -> Option<Timestamp> {
        if micros <= 0 {
            return Some(from);
        }
        let last_holiday = || self.spec.holidays.last()?.date.plus_days(2);
        let to = if self.week > 0 { LAST } else { self.zone.start_of(last_holiday()?) };
        OpenTime::new(from, to, micros).count(self).reached
    }

    /// The periods that take place on a day.
    fn periods_on(&self, day: ZoneDay) -> &[Period] {
        match self.spec.holidays.binary_search_by_key(&day, |holiday| holiday.date) {
            Ok(found) => self.spec.holidays.get(found).map_or(&[], |holiday| &holiday.periods),
            Err(_) => self.spec.periods.days().get(day.weekday()).map_or(&[], |periods| periods.as_slice()),
        }
    }

    /// The periods of a day as instants. Starts and ends rise from period to period and from day to day; where the
    /// clock repeats times, the spans of two periods may overlap.
    fn spans_on(&self, day: ZoneDay) -> impl DoubleEndedIterator<Item = Span> {
        let span = move |period: &Period| Span {
            start: self.zone.first_of_minute(day, period.from.minutes()),
            end: self.zone.end_of_minute(day, period.to.minutes() - 1),
        };
        self.periods_on(day).iter().map(span).filter(|span| span.start < span.end)
    }

    /// The spans that end after an instant, joined where they touch or overlap, as far as the search goes.
    fn spans_after(&self, at: Timestamp) -> impl Iterator<Item = Span> {
        let days = days_from(self.day_before(at)).take(usize::try_from(SEARCH_DAYS).unwrap_or(0) + 3);
        let spans = days.flat_map(|day| self.spans_on(day)).filter(move |span| span.end > at);
        let mut spans = spans.peekable();
        iter::from_fn(move || {
            let mut joined = spans.next()?;
            while let Some(next) = spans.next_if(|next| next.start <= joined.end) {
                joined.end = joined.end.max(next.end);
            }
            Some(joined)
        })
    }

    /// The day before that of an instant. Where the clock is set back over midnight, the spans of the day before and of
    /// the day after may contain the instant too.
    fn day_before(&self, at: Timestamp) -> ZoneDay {
        self.zone.day_of(at).minus_days(1)
    }

    /// How many whole weeks from the start of a day on have no holiday, and no change of the clock on them or a day
    /// around them, and end before `to`.
    fn plain_weeks(&self, day: ZoneDay, start: Timestamp, to: Timestamp) -> i64 {
        let next_holiday = self.spec.holidays.partition_point(|holiday| holiday.date < day);
        let to_holiday = self.spec.holidays.get(next_holiday).map_or(i64::MAX, |holiday| day.days_until(holiday.date));
        let change = self.zone.next_transition(start.plus_micros(-DAY)).map_or(LAST, |change| change.plus_micros(-DAY));
        let plain = change.min(to).micros().saturating_sub(start.micros()) / DAY;
        to_holiday.min(plain).max(0) / 7
    }
}

fn days_from(first: ZoneDay) -> impl Iterator<Item = ZoneDay> {
    iter::successors(Some(first), |day| day.next())
}

fn within_search(at: Timestamp, change: Timestamp) -> Option<Timestamp> {
    Some(change).filter(|change| *change <= at.plus_micros(SEARCH_DAYS * DAY))
}

/// Adds up open time until an instant, or until there is enough.
#[derive(Debug)]
struct OpenTime {
    /// Everything before is counted.
    from: Timestamp,
    to: Timestamp,
    wanted: i64,
    /// Microseconds of open time so far.
    open: i64,
    /// When it was as much as wanted.
    reached: Option<Timestamp>,
}

impl OpenTime {
    fn new(from: Timestamp, to: Timestamp, wanted: i64) -> Self {
        Self { from, to: to.min(LAST), wanted, open: 0, reached: None }
    }

    fn count(mut self, schedule: &Schedule) -> Self {
        let last = schedule.zone.day_of(self.to).next();
        let mut next = Some(schedule.day_before(self.from)).filter(|_| self.from < self.to);
        while let Some(day) = next.filter(|day| self.reached.is_none() && Some(*day) <= last) {
            next = match self.skip_weeks(schedule, day) {
                0 => {
                    schedule.spans_on(day).for_each(|span| self.add(span));
                    day.next()
                }
                weeks => day.plus_days(weeks * 7),
            };
        }
        self
    }

    fn add(&mut self, span: Span) {
        let (start, end) = (span.start.max(self.from), span.end.min(self.to));
        let (length, missing) = (end.micros() - start.micros(), self.wanted - self.open);
        if length <= 0 || self.reached.is_some() {
            return;
        }
        if missing <= length {
            self.reached = Some(start.plus_micros(missing));
        }
        self.open += length.min(missing);
        self.from = end;
    }

    /// Counts whole weeks at once, as long as they do not reach what is wanted. Returns how many.
    fn skip_weeks(&mut self, schedule: &Schedule, day: ZoneDay) -> i64 {
        let missing = (self.wanted - self.open - 1) / schedule.week.max(1);
        if missing == 0 || self.to.micros().saturating_sub(self.from.micros()) < 14 * DAY {
            return 0;
        }
        let start = schedule.zone.start_of(day);
        if start < self.from {
            return 0;
        }
        let weeks = schedule.plain_weeks(day, start, self.to).min(missing);
        if weeks > 0 {
            self.open += weeks * schedule.week;
            self.from = start.plus_micros(weeks * 7 * DAY);
        }
        weeks
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.spec.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(ScheduleSpec::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
