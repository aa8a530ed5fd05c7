//! Makes work due at intervals.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::Timestamp;

/// Holds the second at which the work is due next.
#[derive(Debug)]
pub(crate) struct Interval(AtomicI64);

impl Interval {
    /// An interval whose work is due at this second.
    pub const fn at(second: i64) -> Self {
        Self(AtomicI64::new(second))
    }

    /// True for one caller once in `every` seconds, and when the clock was set back; then sets the next time.
    pub fn is_due(&self, now: Timestamp, every: i64) -> bool {
        let (due_at, now) = (self.0.load(Ordering::Relaxed), now.seconds());
        let waits = (now.saturating_add(1)..=now.saturating_add(every)).contains(&due_at);
        let next = now.saturating_add(every);
        !waits && self.0.compare_exchange(due_at, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_due_once_in_an_interval_and_after_the_clock_was_set_back() {
        let (interval, now) = (Interval::at(i64::MIN), Timestamp::from_seconds(1_776_000_000));
        let due = |seconds: i64| interval.is_due(now.plus_seconds(seconds), 10);
        assert_eq!([0, 0, 9, 10, 19, 20].map(due), [true, false, false, true, false, true]);
        assert_eq!([19, 19, -100, -99].map(due), [true, false, true, false]);
    }
}
