//! When a message that the network did not take goes again.

use crate::{MessageId, Timestamp};

const SECOND: i64 = 1_000_000;
const LONGEST: i64 = 300 * SECOND;
/// The first pause after a passing fault, and after a limit.
const FAULT: i64 = SECOND / 2;
const LIMIT: i64 = 5 * SECOND;

/// What kept it from leaving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Fault,
    Limit,
}

/// Doubles with every attempt. The id spreads messages that failed together, the same way in every run.
pub fn again_at(
    now: Timestamp,
    why: Why,
    attempts: i64,
    id: MessageId,
    asked: Option<std::time::Duration>,
) -> Timestamp {
    let first = if why == Why::Fault { FAULT } else { LIMIT };
    let doubled = first.saturating_mul(1 << attempts.clamp(0, 20)).min(LONGEST);
    let asked = asked.map_or(0, |asked| i64::try_from(asked.as_micros()).unwrap_or(LONGEST)).min(12 * LONGEST);
    let spread = i64::from(id.bytes()[11]) * doubled / 1024;
    Timestamp::from_micros(now.micros().saturating_add(doubled.max(asked)).saturating_add(spread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn pauses_grow_and_are_bounded_and_what_the_network_asks_for_is_kept() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let id = Id::seeded(now, 255);
        let pause = |why, attempts, asked| again_at(now, why, attempts, id, asked).micros() - now.micros();
        assert!(pause(Why::Fault, 0, None) < pause(Why::Fault, 3, None));
        assert!(pause(Why::Fault, 0, None) < pause(Why::Limit, 0, None));
        assert!(pause(Why::Fault, i64::MAX, None) <= LONGEST + LONGEST / 4);
        let minute = std::time::Duration::from_mins(1);
        assert!(pause(Why::Limit, 0, Some(minute)) >= 60 * SECOND);
    }
}
