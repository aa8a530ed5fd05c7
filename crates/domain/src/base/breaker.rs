//! Circuit breaker: after some failures in a row requests pause, then one request at a time probes. A success closes
//! the breaker. `channels/src/graph/breaker.rs` shares one between the calls of a channel; the dispatcher of an endpoint
//! has one of its own.

use std::time::Duration;

use crate::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Failures in a row that open the breaker.
    pub failures: u32,
    /// The first pause; it doubles with each further failure.
    pub pause: Duration,
    pub longest_pause: Duration,
}

impl BreakerSettings {
    /// The settings for a tenant's endpoint. Events wait in the log meanwhile.
    pub const ENDPOINT: Self =
        Self { failures: 5, pause: Duration::from_secs(5), longest_pause: Duration::from_mins(1) };

    /// Settings with the same pause after each failure.
    pub const fn steady(failures: u32, pause: Duration) -> Self {
        Self { failures, pause, longest_pause: pause }
    }

    fn pause_after(self, failures_since_open: i64) -> Duration {
        let factor = 1_u32 << failures_since_open.clamp(0, 16);
        self.pause.saturating_mul(factor).min(self.longest_pause)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerState {
    settings: BreakerSettings,
    failed_in_a_row: i64,
    paused_until: Option<Timestamp>,
}

impl BreakerState {
    pub const fn new(settings: BreakerSettings) -> Self {
        Self { settings, failed_in_a_row: 0, paused_until: None }
    }

    /// A breaker as it was left with these failures in a row and this pause.
    pub(crate) const fn resumed(
        settings: BreakerSettings,
        failed_in_a_row: i64,
        paused_until: Option<Timestamp>,
    ) -> Self {
        Self { settings, failed_in_a_row, paused_until }
    }

    fn failures_since_open(&self) -> i64 {
        self.failed_in_a_row - i64::from(self.settings.failures)
    }

    pub fn is_open(&self) -> bool {
        self.failures_since_open() >= 0
    }

    /// How many more requests may start while `in_flight` are in flight: one at a time while the breaker is open.
    pub fn allows(&self, now: Timestamp, in_flight: usize, most: usize) -> usize {
        match self.paused_until {
            Some(until) if now < until => 0,
            _ if self.is_open() => usize::from(in_flight == 0),
            _ => most.saturating_sub(in_flight),
        }
    }

    /// The time before which no request may start.
    pub const fn paused_until(&self) -> Option<Timestamp> {
        self.paused_until
    }

    pub const fn succeeded(&mut self) {
        *self = Self::new(self.settings);
    }

    pub fn failed(&mut self, now: Timestamp) {
        self.failed_in_a_row = self.failed_in_a_row.saturating_add(1);
        if self.is_open() {
            self.pause_until(now.plus(self.settings.pause_after(self.failures_since_open())));
        }
    }

    /// Lets no request start before this time. A shorter pause does not end a longer one.
    pub fn pause_until(&mut self, until: Timestamp) {
        self.paused_until = self.paused_until.max(Some(until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_failures_open_it_one_request_probes_it_and_a_success_closes_it() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let mut breaker = BreakerState::new(BreakerSettings::ENDPOINT);
        for _ in 0..4 {
            breaker.failed(now);
        }
        assert_eq!(breaker.allows(now, 2, 32), 30);
        breaker.failed(now);
        assert_eq!(breaker.allows(now, 0, 32), 0);
        let later = now.plus_seconds(5);
        assert_eq!((breaker.allows(later, 0, 32), breaker.allows(later, 1, 32)), (1, 0));
        breaker.failed(later);
        assert_eq!(breaker.allows(later.plus_seconds(9), 0, 32), 0);
        assert_eq!(breaker.allows(later.plus_seconds(10), 0, 32), 1);
        for _ in 0..100 {
            breaker.failed(later);
        }
        assert_eq!(breaker.allows(later.plus_seconds(60), 0, 32), 1);
        breaker.succeeded();
        assert_eq!(breaker.allows(later, 0, 32), 32);
    }

    #[test]
    fn a_pause_that_the_endpoint_asks_for_is_kept() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let mut breaker = BreakerState::new(BreakerSettings::ENDPOINT);
        breaker.pause_until(now.plus_seconds(30));
        assert_eq!((breaker.allows(now, 0, 4), breaker.allows(now.plus_seconds(30), 0, 4)), (0, 4));
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn each_failure_after_the_fifth_doubles_the_pause_up_to_a_minute() {
        let mut breaker = BreakerState::new(BreakerSettings::ENDPOINT);
        for (failures, pause) in [
            (1, None),
            (4, None),
            (5, Some(5)),
            (6, Some(10)),
            (7, Some(20)),
            (8, Some(40)),
            (9, Some(60)),
            (10, Some(60)),
        ] {
            while breaker.failed_in_a_row < failures {
                breaker.failed(NOW);
            }
            assert_eq!(breaker.paused_until(), pause.map(|pause| NOW.plus_seconds(pause)), "{failures}");
            assert_eq!(breaker.is_open(), failures >= 5, "{failures}");
        }
    }

    #[test]
    fn a_shorter_pause_does_not_end_a_longer_one() {
        let mut breaker = BreakerState::new(BreakerSettings::ENDPOINT);
        breaker.pause_until(NOW.plus_seconds(30));
        breaker.pause_until(NOW.plus_seconds(10));
        assert_eq!(breaker.paused_until(), Some(NOW.plus_seconds(30)));
        assert_eq!(breaker.allows(NOW.plus_seconds(29), 0, 4), 0);
        breaker.succeeded();
        assert_eq!((breaker.paused_until(), breaker.is_open()), (None, false));
    }
}
