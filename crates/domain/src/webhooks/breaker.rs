//! The breaker of one endpoint: after some failures in a row it is left alone for a while, then tried with one request.
//! Whatever waits for it waits in the log, and costs nothing.

use super::Health;
use crate::Timestamp;

/// So many failures in a row open it.
const OPENS_AFTER: i64 = 5;
const FIRST_PAUSE: i64 = 5;
const LONGEST_PAUSE: i64 = 60;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaker {
    failed_in_a_row: i64,
    closed_until: Option<Timestamp>,
}

impl Breaker {
    /// As whoever had the endpoint before left it: one that has failed is tried with one request first.
    pub const fn after(health: Health) -> Self {
        Self { failed_in_a_row: health.failed_in_a_row, closed_until: health.rests_until }
    }

    pub const fn is_open(&self) -> bool {
        self.failed_in_a_row >= OPENS_AFTER
    }

    /// How many more requests may begin while so many are under way.
    pub fn allows(&self, now: Timestamp, under_way: usize, most: usize) -> usize {
        match self.closed_until {
            Some(until) if now < until => 0,
            _ if self.is_open() => usize::from(under_way == 0),
            _ => most.saturating_sub(under_way),
        }
    }

    /// Nothing may begin before this.
    pub const fn rests_until(&self) -> Option<Timestamp> {
        self.closed_until
    }

    pub const fn succeeded(&mut self) {
        *self = Self { failed_in_a_row: 0, closed_until: None };
    }

    pub fn failed(&mut self, now: Timestamp) {
        self.failed_in_a_row = self.failed_in_a_row.saturating_add(1);
        if self.is_open() {
            let doublings = (self.failed_in_a_row - OPENS_AFTER).min(4);
            self.rest_until(now.plus_seconds((FIRST_PAUSE << doublings).min(LONGEST_PAUSE)));
        }
    }

    /// The endpoint itself asks to be left alone.
    pub fn rest_until(&mut self, until: Timestamp) {
        self.closed_until = self.closed_until.max(Some(until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_failures_open_it_one_request_probes_it_and_a_success_closes_it() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let mut breaker = Breaker::default();
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
        assert_eq!(breaker.allows(later.plus_seconds(LONGEST_PAUSE), 0, 32), 1);
        breaker.succeeded();
        assert_eq!(breaker.allows(later, 0, 32), 32);
    }

    #[test]
    fn one_that_asks_for_a_rest_gets_it() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let mut breaker = Breaker::default();
        breaker.rest_until(now.plus_seconds(30));
        assert_eq!((breaker.allows(now, 0, 4), breaker.allows(now.plus_seconds(30), 0, 4)), (0, 4));
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn each_failure_after_the_fifth_doubles_the_pause_up_to_a_minute() {
        let mut breaker = Breaker::default();
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
            assert_eq!(breaker.rests_until(), pause.map(|pause| NOW.plus_seconds(pause)), "{failures}");
            assert_eq!(breaker.is_open(), failures >= 5, "{failures}");
        }
    }

    #[test]
    fn a_shorter_rest_does_not_end_a_longer_one() {
        let mut breaker = Breaker::default();
        breaker.rest_until(NOW.plus_seconds(30));
        breaker.rest_until(NOW.plus_seconds(10));
        assert_eq!(breaker.rests_until(), Some(NOW.plus_seconds(30)));
        assert_eq!(breaker.allows(NOW.plus_seconds(29), 0, 4), 0);
        breaker.succeeded();
        assert_eq!((breaker.rests_until(), breaker.is_open()), (None, false));
    }

    #[test]
    fn whoever_takes_an_endpoint_over_goes_on_as_it_was_left() {
        let health = Health { failed_in_a_row: 5, rests_until: Some(NOW), ..Health::default() };
        let breaker = Breaker::after(health);
        assert!(breaker.is_open());
        assert_eq!(breaker.rests_until(), Some(NOW));
        assert_eq!((breaker.allows(NOW, 0, 32), breaker.allows(NOW, 1, 32)), (1, 0), "one request at a time");
        let few = Breaker::after(Health { failed_in_a_row: 4, ..health });
        assert_eq!((few.allows(NOW, 0, 32), few.allows(NOW, 40, 32)), (32, 0));
    }
}
