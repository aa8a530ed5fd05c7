//! Rate limits as arithmetic over instants. Callers keep the state and give the time; nothing here waits.

use crate::Timestamp;

const SECOND: i64 = 1_000_000;

/// A token bucket. Its state is one instant, the time at which it is full: a bucket that is full need not be remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// Microseconds until one more may be taken.
    step: i64,
    /// How long before it is full the bucket gives one.
    ahead: i64,
}

impl Bucket {
    /// Gives `burst` at once, then one every `seconds`. `None` where a zero switches the limit off.
    pub fn with_burst(burst: u32, seconds: u32) -> Option<Self> {
        let step = i64::from(seconds) * SECOND;
        (step > 0 && burst > 0).then(|| Self { step, ahead: step.saturating_mul(i64::from(burst) - 1) })
    }

    /// Gives one at even intervals. Those that were missed within the last second are made up for.
    pub const fn evenly(per_second: i64) -> Self {
        Self { step: SECOND / if per_second < 1 { 1 } else { per_second }, ahead: SECOND }
    }

    /// When a bucket that is full at `full_at` gives the next one.
    #[must_use]
    pub const fn gives_at(self, full_at: Timestamp) -> Timestamp {
        full_at.plus_micros(-self.ahead)
    }

    /// When the bucket is full again after one was taken at `at`.
    #[must_use]
    pub fn after(self, full_at: Timestamp, at: Timestamp) -> Timestamp {
        full_at.max(at).plus_micros(self.step)
    }

    /// When a bucket is full that gives one now and no more.
    #[must_use]
    pub const fn low(self, now: Timestamp) -> Timestamp {
        now.plus_micros(self.ahead)
    }

    /// When a bucket is full that gives nothing now. No bucket can be full later, unless the clock was set back.
    #[must_use]
    pub const fn empty(self, now: Timestamp) -> Timestamp {
        self.low(now).plus_micros(self.step)
    }
}

/// A count in one second of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondCount {
    /// Seconds since 1970.
    second: i64,
    count: u32,
}

impl SecondCount {
    pub const fn new(now: Timestamp) -> Self {
        Self { second: now.seconds(), count: 0 }
    }

    /// The end of the counted second.
    pub const fn end(self) -> Timestamp {
        Timestamp::from_seconds(self.second.saturating_add(1))
    }

    /// The count in the second of this time.
    pub const fn at(self, now: Timestamp) -> u32 {
        if self.second == now.seconds() { self.count } else { 0 }
    }

    pub const fn count(&mut self, now: Timestamp) {
        *self = Self { second: now.seconds(), count: self.at(now).saturating_add(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn zero_switches_a_bucket_off() {
        assert!(Bucket::with_burst(0, 6).is_none() && Bucket::with_burst(6, 0).is_none());
        assert!(Bucket::with_burst(1, 1).is_some());
    }

    #[test]
    fn a_bucket_gives_its_burst_and_then_one_each_step() {
        let bucket = Bucket::with_burst(3, 6).unwrap();
        let (mut full_at, mut given) = (NOW, Vec::new());
        for _ in 0..5 {
            let at = bucket.gives_at(full_at).max(NOW);
            given.push(at.seconds_since(NOW));
            full_at = bucket.after(full_at, at);
        }
        assert_eq!(given, [0, 0, 0, 6, 12]);
        assert_eq!((bucket.low(NOW), bucket.empty(NOW)), (NOW.plus_seconds(12), NOW.plus_seconds(18)));
    }

    #[test]
    fn an_even_rate_is_kept_and_reached_and_makes_up_for_one_second() {
        let bucket = Bucket::evenly(10);
        let (mut full_at, mut started) = (bucket.low(NOW), Vec::new());
        let mut start = |millis: i64| {
            let now = NOW.plus_micros(millis * 1000);
            while bucket.gives_at(full_at) <= now {
                full_at = bucket.after(full_at, now);
                started.push(millis);
            }
            started.len()
        };
        assert_eq!((0..10_000).map(&mut start).last(), Some(100));
        assert_eq!(start(15_000), 111, "the missed starts of one second, and the present one");
    }

    #[test]
    fn each_second_is_counted_on_its_own() {
        let mut second = SecondCount::new(NOW);
        let at = |millis: i64| NOW.plus_micros(millis * 1000);
        for millis in [300, 999] {
            second.count(at(millis));
        }
        assert_eq!((second.end(), second.at(at(999)), second.at(at(1000)), second.at(at(-1))), (at(1000), 2, 0, 0));
        second.count(at(1300));
        assert_eq!((second.end(), second.at(at(1000))), (at(2000), 1));
    }
}
