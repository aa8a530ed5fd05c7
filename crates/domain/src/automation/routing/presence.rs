//! Whether an operator is there to be given conversations.

use crate::Timestamp;
use crate::base::named::named;

named! {
    /// The operator chooses it. Only an available operator is given conversations.
    OperatorPresence { Available => "available", Busy => "busy", Away => "away" }
}

/// An operator whose connection is lost becomes away this long after the last sign of life, not at once: a page that is
/// loaded again and a phone that changes its network are back within seconds.
pub const GRACE_SECONDS: i64 = 90;

/// When an operator without a connection becomes away.
#[must_use]
pub const fn away_from(last_seen: Timestamp) -> Timestamp {
    last_seen.plus_seconds(GRACE_SECONDS)
}

/// The presence that counts: the chosen one for the grace time after the operator was seen last (None: never), then
/// away. While a console is connected, its operator is seen again and again.
pub fn effective_presence(chosen: OperatorPresence, last_seen: Option<Timestamp>, now: Timestamp) -> OperatorPresence {
    let is_there = last_seen.is_some_and(|seen| now < away_from(seen));
    if is_there { chosen } else { OperatorPresence::Away }
}

#[cfg(test)]
mod tests {
    use super::OperatorPresence::{Available, Away, Busy};
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_lost_connection_becomes_away_after_the_grace_time() {
        let without = |chosen, seconds: i64| effective_presence(chosen, Some(NOW.plus_seconds(-seconds)), NOW);
        assert_eq!((without(Available, 0), without(Available, 89)), (Available, Available));
        assert_eq!((without(Available, 90), without(Busy, 3_600)), (Away, Away));
        assert_eq!((without(Busy, 89), without(Away, 0)), (Busy, Away));
        assert_eq!(without(Available, -5), Available, "seen by a node whose clock is ahead");
        assert_eq!(away_from(NOW), NOW.plus_seconds(90));
    }

    #[test]
    fn an_operator_who_was_never_seen_is_away() {
        for chosen in OperatorPresence::ALL {
            assert_eq!(effective_presence(*chosen, Some(NOW), NOW), *chosen);
            assert_eq!(effective_presence(*chosen, None, NOW), Away);
        }
    }
}
