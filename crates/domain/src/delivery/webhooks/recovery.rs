//! Recoveries: which deliveries and events a recovery takes up, and how far it is.

use crate::base::named::named;
use crate::{DeliveryId, Id, Timestamp};

/// The time that a recovery covers, in whole seconds: both ends belong to it. Ids of events hold the second, so that a
/// range of time is a range of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryWindow {
    pub since: Timestamp,
    /// None: everything since then.
    pub until: Option<Timestamp>,
}

impl RecoveryWindow {
    /// The first id of the window.
    pub fn first_id(&self) -> DeliveryId {
        Id::first_of_second(self.since)
    }

    /// The first id after the window; greater than every id when it has no end.
    pub fn end_id(&self) -> DeliveryId {
        self.until.map_or(Id::from_bytes([0xff; 12]), |until| Id::first_of_second(until.plus_seconds(1)))
    }
}

/// What a dispatcher must know of the last recovery of its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningRecovery {
    pub started_at: Timestamp,
    /// Events up to this number that have no delivery are taken up by the recovery, or are later than its end.
    pub to: i64,
    pub until: Option<Timestamp>,
}

impl RunningRecovery {
    /// Whether the event is one that the recovery reads again.
    pub const fn covers(&self, number: i64) -> bool {
        number <= self.to
    }

    /// Whether the recovery reads the event again and does not deliver it, because it is later than the window's end.
    pub fn passes_over(&self, number: i64, at: Timestamp) -> bool {
        self.covers(number) && self.until.is_some_and(|until| at.seconds() > until.seconds())
    }
}

named! {
    /// `done` means that each delivery was attempted; those that failed again are retried by their schedule.
    RecoveryState { Running => "running", Done => "done", Canceled => "canceled" }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryProgress {
    pub state: RecoveryState,
    pub window: RecoveryWindow,
    pub started_at: Timestamp,
    /// Deliveries that the recovery has taken up so far.
    pub total: i64,
    pub delivered: i64,
    /// Attempted since the recovery began, and not delivered.
    pub failed: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn a_window_holds_the_whole_second_of_both_ends() {
        let window = RecoveryWindow { since: NOON, until: Some(NOON.plus_seconds(5)) };
        let id = |at: Timestamp| DeliveryId::seeded(at, u64::MAX);
        let holds = |at: Timestamp| window.first_id() <= id(at) && id(at) < window.end_id();
        assert!(!holds(NOON.plus_seconds(-1)) && holds(NOON) && holds(NOON.plus_seconds(5)));
        assert!(!holds(NOON.plus_seconds(6)));
        let open = RecoveryWindow { since: NOON, until: None };
        assert!(id(NOON.plus_seconds(1_000_000)) < open.end_id());
    }

    #[test]
    fn only_events_of_the_range_are_passed_over() {
        let recovery = RunningRecovery { started_at: NOON, to: 10, until: Some(NOON) };
        let late = NOON.plus_seconds(1);
        assert!(recovery.passes_over(10, late) && !recovery.passes_over(10, NOON) && !recovery.passes_over(11, late));
        let open = RunningRecovery { until: None, ..recovery };
        assert!(open.covers(10) && !open.covers(11) && !open.passes_over(10, late));
    }
}
