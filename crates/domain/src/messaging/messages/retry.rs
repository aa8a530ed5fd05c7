//! When a message that the network did not accept is tried again.

use crate::{MessageId, Timestamp};

const SECOND: i64 = 1_000_000;
const LONGEST: i64 = 300 * SECOND;
/// The first pause in microseconds after a passing fault (`FAULT`) and after a limit (`LIMIT`).
const FAULT: i64 = SECOND / 2;
const LIMIT: i64 = 5 * SECOND;

/// Why the network did not accept the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryReason {
    Fault,
    Limit,
}

/// The pause doubles with every attempt, up to five minutes, and is at least what the network asked for, of which at
/// most an hour counts. The id spreads messages that failed together, in the same way in every run.
pub fn retry_at(
    now: Timestamp,
    reason: RetryReason,
    attempts: i64,
    id: MessageId,
    retry_after: Option<std::time::Duration>,
) -> Timestamp {
    let first = if reason == RetryReason::Fault { FAULT } else { LIMIT };
    let doubled = first.saturating_mul(1 << attempts.clamp(0, 20)).min(LONGEST);
    let retry_after = retry_after
        .map_or(0, |retry_after| i64::try_from(retry_after.as_micros()).unwrap_or(LONGEST))
        .min(12 * LONGEST);
    let spread = i64::from(id.bytes()[11]) * doubled / 1024;
    now.plus_micros(doubled.max(retry_after)).plus_micros(spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use std::time::Duration;

    #[test]
    fn pauses_grow_and_are_bounded_and_what_the_network_asks_for_is_kept() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let id = Id::seeded(now, 255);
        let pause =
            |reason, attempts, retry_after| retry_at(now, reason, attempts, id, retry_after).micros() - now.micros();
        assert!(pause(RetryReason::Fault, 0, None) < pause(RetryReason::Fault, 3, None));
        assert!(pause(RetryReason::Fault, 0, None) < pause(RetryReason::Limit, 0, None));
        assert!(pause(RetryReason::Fault, i64::MAX, None) <= LONGEST + LONGEST / 4);
        let minute = Duration::from_mins(1);
        assert!(pause(RetryReason::Limit, 0, Some(minute)) >= 60 * SECOND);
    }

    /// Microseconds from now; an id whose last byte is zero is not spread.
    fn pause(reason: RetryReason, attempts: i64, byte: u8, retry_after: Option<Duration>) -> i64 {
        let now = Timestamp::from_seconds(1_776_000_000);
        retry_at(now, reason, attempts, Id::from_bytes([byte; 12]), retry_after).micros() - now.micros()
    }

    #[test]
    fn a_pause_doubles_from_half_a_second_or_five_up_to_five_minutes() {
        for (attempts, fault, limit) in [
            (-1, 500_000, 5_000_000),
            (0, 500_000, 5_000_000),
            (1, 1_000_000, 10_000_000),
            (2, 2_000_000, 20_000_000),
            (5, 16_000_000, 160_000_000),
            (6, 32_000_000, 300_000_000),
            (9, 256_000_000, 300_000_000),
            (10, 300_000_000, 300_000_000),
            (i64::MAX, 300_000_000, 300_000_000),
        ] {
            assert_eq!(
                (pause(RetryReason::Fault, attempts, 0, None), pause(RetryReason::Limit, attempts, 0, None)),
                (fault, limit)
            );
        }
    }

    #[test]
    fn the_id_spreads_a_pause_by_up_to_a_quarter() {
        assert_eq!(pause(RetryReason::Fault, 1, 128, None), 1_000_000 + 125_000);
        assert_eq!(pause(RetryReason::Fault, 1, 255, None), 1_000_000 + 249_023);
    }

    #[test]
    fn what_the_network_asks_for_counts_where_it_is_longer_and_up_to_an_hour() {
        let retry_after = |seconds| pause(RetryReason::Limit, 1, 0, Some(Duration::from_secs(seconds)));
        assert_eq!((retry_after(9), retry_after(10), retry_after(11)), (10_000_000, 10_000_000, 11_000_000));
        assert_eq!(
            (retry_after(3599), retry_after(3600), retry_after(3601)),
            (3_599_000_000, 3_600_000_000, 3_600_000_000)
        );
        assert_eq!(pause(RetryReason::Limit, 1, 0, Some(Duration::MAX)), 300_000_000, "what cannot be counted");
    }
}
