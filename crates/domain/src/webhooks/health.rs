//! How an endpoint is: how often it has failed in a row, since when, and whether that makes it defective.

use crate::Timestamp;

const FAILURES: i64 = 100;
const A_DAY: i64 = 86_400;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    pub failed_in_a_row: i64,
    /// The first of these failures.
    pub failing_since: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    /// It has asked to be left alone until then.
    pub rests_until: Option<Timestamp>,
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
    pub fn asked_for_rest(self, until: Option<Timestamp>) -> Self {
        Self { rests_until: self.rests_until.max(until), ..self }
    }

    /// More than a hundred failures in a row, and nothing delivered for a day.
    pub fn is_defective(self, now: Timestamp) -> bool {
        let since = self.failing_since.max(self.delivered_at);
        self.failed_in_a_row > FAILURES && since.is_some_and(|since| now.seconds_since(since) >= A_DAY)
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
}
