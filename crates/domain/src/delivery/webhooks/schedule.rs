//! The retry schedule of a delivery: 5 s, 30 s, 2 min, 5 min after a failure, then every 10 min until a day has passed.

use std::time::Duration;

use crate::{DeliveryId, Timestamp};

const SECOND: i64 = 1_000_000;
const FIRST_PAUSES: [i64; 4] = [5, 30, 120, 300];
const PAUSE: i64 = 600;
const GIVE_UP: i64 = 86_400;

/// No attempt starts after this time.
pub const fn give_up_at(first_attempt: Timestamp) -> Timestamp {
    first_attempt.plus_seconds(GIVE_UP)
}

/// The time of the next attempt after `attempts` failed ones; none when the delivery is given up. `asked` is the pause
/// that the endpoint asks for; it can only make the pause longer. Pauses are spread by up to a twentieth either way, so
/// that deliveries that failed together are not retried together.
pub fn next_attempt_at(
    first_attempt: Timestamp,
    now: Timestamp,
    attempts: i64,
    delivery: DeliveryId,
    asked: Option<Duration>,
) -> Option<Timestamp> {
    let index = usize::try_from(attempts - 1).unwrap_or(0);
    let pause = FIRST_PAUSES.get(index).copied().unwrap_or(PAUSE) * SECOND;
    let spread = pause * (spread_of(delivery, attempts) - 500) / 10_000;
    let asked = asked.map_or(0, |asked| i64::try_from(asked.as_micros()).unwrap_or(i64::MAX));
    let at = now.plus_micros((pause + spread).max(asked));
    (at <= give_up_at(first_attempt)).then_some(at)
}

/// A number from 0 to 1000, from a hash, so that the schedule is reproducible.
fn spread_of(delivery: DeliveryId, attempts: i64) -> i64 {
    let seed = u64::try_from(attempts).unwrap_or(0);
    let hash = xxhash_rust::xxh3::xxh3_64_with_seed(delivery.bytes(), seed);
    i64::try_from(hash % 1001).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    /// All attempts of a delivery that never succeeds, in seconds from the first.
    fn attempts_of(delivery: DeliveryId) -> Vec<i64> {
        let first = Timestamp::from_seconds(1_776_000_000);
        let mut at = vec![0];
        let mut now = first;
        while let Some(next) = next_attempt_at(first, now, i64::try_from(at.len()).unwrap(), delivery, None) {
            at.push(next.seconds_since(first));
            now = next;
        }
        at
    }

    #[test]
    fn a_delivery_is_attempted_at_least_144_times_in_a_day() {
        for entropy in 0..200 {
            let tries = attempts_of(Id::seeded(Timestamp::from_seconds(1), entropy));
            assert!((144..160).contains(&tries.len()), "{}", tries.len());
            assert!(tries.last().unwrap() > &85_500);
            for (tried, meant) in tries.iter().zip([0, 5, 35, 155, 455, 1055]) {
                assert!((tried - meant).abs() <= meant / 20 + 1, "{tried} is not near {meant}");
            }
        }
    }

    #[test]
    fn a_pause_that_the_endpoint_asks_for_is_kept_and_never_shortens_the_schedule() {
        let first = Timestamp::from_seconds(1_776_000_000);
        let id = Id::seeded(first, 7);
        let after = |asked| {
            next_attempt_at(first, first, 1, id, Some(Duration::from_secs(asked))).map(|at| at.seconds_since(first))
        };
        assert_eq!(after(120), Some(120));
        assert!(after(0).unwrap() >= 4);
        assert_eq!(after(90_000), None, "no attempt after a day");
        assert_eq!(after(u64::MAX), None);
    }

    #[test]
    fn there_is_no_attempt_after_a_day_and_the_last_instant_still_counts() {
        let first = Timestamp::from_seconds(1_776_000_000);
        let end = first.plus_seconds(86_400);
        assert_eq!(give_up_at(first), end);
        let asked = |micros: u64| {
            next_attempt_at(first, first, 1, Id::from_bytes([1; 12]), Some(Duration::from_micros(micros)))
        };
        assert_eq!((asked(86_400_000_000), asked(86_400_000_001)), (Some(end), None));
    }

    #[test]
    fn pauses_are_spread_by_a_twentieth_either_way() {
        let first = Timestamp::from_seconds(1_776_000_000);
        for (attempts, seconds) in [(0, 5), (1, 5), (2, 30), (3, 120), (4, 300), (5, 600), (100, 600)] {
            let pauses: Vec<i64> = (0..300)
                .filter_map(|entropy| next_attempt_at(first, first, attempts, Id::seeded(first, entropy), None))
                .map(|at| at.micros() - first.micros())
                .collect();
            let (pause, twentieth) = (seconds * SECOND, seconds * SECOND / 20);
            let (shortest, longest) = (pauses.iter().min().unwrap(), pauses.iter().max().unwrap());
            assert!(pauses.len() == 300 && *shortest >= pause - twentieth && *longest <= pause + twentieth);
            assert!(*shortest < pause - twentieth * 9 / 10 && *longest > pause + twentieth * 9 / 10, "{attempts}");
        }
    }

    #[test]
    fn each_attempt_is_spread_anew_and_the_same_way_in_every_run() {
        let first = Timestamp::from_seconds(1_776_000_000);
        let at = |attempts| next_attempt_at(first, first, attempts, Id::from_bytes([1; 12]), None);
        assert_eq!(at(7), at(7));
        assert!((5..50).any(|attempts| at(attempts) != at(attempts + 1)));
    }
}
