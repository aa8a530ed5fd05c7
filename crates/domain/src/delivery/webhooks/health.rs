//! The health of an endpoint: failures in a row, since when, and whether that makes it defective.

use crate::{BreakerSettings, BreakerState, Timestamp};

/// More failures in a row than this, for at least a day, make an endpoint defective.
const FAILURES: i64 = 100;
const A_DAY: i64 = 86_400;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    pub failed_in_a_row: i64,
    /// The time of the first of the failures in a row.
    pub failing_since: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    /// The endpoint asked for a pause until this time.
    pub paused_until: Option<Timestamp>,
}

impl Health {
    #[must_use]
    pub fn delivered(self, at: Timestamp) -> Self {
        Self { delivered_at: self.delivered_at.max(Some(at)), ..Self::default() }
    }

    #[must_use]
    pub fn failed(self, at: Timestamp) -> Self {
        Self {
            failed_in_a_row: self.failed_in_a_row.saturating_add(1),
            failing_since: self.failing_since.or(Some(at)),
            ..self
        }
    }

    #[must_use]
    pub fn asked_to_pause(self, until: Option<Timestamp>) -> Self {
        Self { paused_until: self.paused_until.max(until), ..self }
    }

    /// More than a hundred failures in a row, and nothing delivered for a day.
    pub fn is_defective(self, now: Timestamp) -> bool {
        let since = self.failing_since.max(self.delivered_at);
        self.failed_in_a_row > FAILURES && since.is_some_and(|since| now.seconds_since(since) >= A_DAY)
    }

    /// The breaker of the endpoint as the previous lease holder left it.
    pub const fn breaker(&self) -> BreakerState {
        BreakerState::resumed(BreakerSettings::ENDPOINT, self.failed_in_a_row, self.paused_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defective_needs_both_many_failures_and_a_day() {
        let start = Timestamp::from_seconds(1_776_000_000);
        let mut health = Health::default().delivered(start);
        for minute in 0..101 {
            health = health.failed(start.plus_seconds(60 * minute));
        }
        assert!(!health.is_defective(start.plus_seconds(60 * 101)));
        assert!(health.is_defective(start.plus_seconds(A_DAY)));
        assert!(!health.delivered(start.plus_seconds(A_DAY)).is_defective(start.plus_seconds(2 * A_DAY)));
        let few = Health { failed_in_a_row: 100, ..health };
        assert!(!few.is_defective(start.plus_seconds(10 * A_DAY)));
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_delivery_ends_a_row_of_failures_and_the_later_one_is_remembered() {
        let failing = Health::default().failed(NOW).failed(NOW.plus_seconds(5)).asked_to_pause(Some(NOW));
        assert_eq!((failing.failed_in_a_row, failing.failing_since), (2, Some(NOW)), "since the first of them");
        let well = failing.delivered(NOW.plus_seconds(9));
        assert_eq!(well, Health { delivered_at: Some(NOW.plus_seconds(9)), ..Health::default() });
        assert_eq!(well.delivered(NOW).delivered_at, Some(NOW.plus_seconds(9)));
        assert_eq!(well.failed(NOW).delivered_at, Some(NOW.plus_seconds(9)), "a failure does not forget it");
    }

    #[test]
    fn the_longer_pause_counts() {
        let resting = Health::default().asked_to_pause(Some(NOW.plus_seconds(30)));
        assert_eq!(resting.asked_to_pause(Some(NOW)).paused_until, Some(NOW.plus_seconds(30)));
        assert_eq!(resting.asked_to_pause(None).paused_until, Some(NOW.plus_seconds(30)));
        assert_eq!(resting.asked_to_pause(Some(NOW.plus_seconds(40))).paused_until, Some(NOW.plus_seconds(40)));
        assert_eq!(resting.failed(NOW).paused_until, Some(NOW.plus_seconds(30)));
    }

    #[test]
    fn a_new_lease_holder_goes_on_with_the_breaker_as_it_was() {
        let health = Health { failed_in_a_row: 5, paused_until: Some(NOW), ..Health::default() };
        let breaker = health.breaker();
        assert!(breaker.is_open());
        assert_eq!(breaker.paused_until(), Some(NOW));
        assert_eq!((breaker.allows(NOW, 0, 32), breaker.allows(NOW, 1, 32)), (1, 0), "one request at a time");
        let few = Health { failed_in_a_row: 4, ..health }.breaker();
        assert_eq!((few.allows(NOW, 0, 32), few.allows(NOW, 40, 32)), (32, 0));
    }

    #[test]
    fn the_hundred_and_first_failure_after_a_whole_day_makes_it_defective() {
        let health = |failures, since: Option<i64>, delivered: Option<i64>| Health {
            failed_in_a_row: failures,
            failing_since: since.map(|second| NOW.plus_seconds(second)),
            delivered_at: delivered.map(|second| NOW.plus_seconds(second)),
            paused_until: None,
        };
        let day = NOW.plus_seconds(86_400);
        for (failures, since, delivered, defective) in [
            (100, Some(0), None, false),
            (101, Some(0), None, true),
            (101, Some(1), None, false),
            (101, Some(0), Some(1), false),
            (101, Some(-5), Some(0), true),
            (101, None, None, false),
        ] {
            assert_eq!(
                health(failures, since, delivered).is_defective(day),
                defective,
                "{failures} {since:?} {delivered:?}"
            );
        }
    }
}
