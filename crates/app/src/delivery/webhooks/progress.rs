//! What a dispatcher and the recorder share about one endpoint: which events were read and have no delivery yet, how
//! many reports are not stored yet, and the recorder's answers.
//!
//! The stored position follows from the events that were read and have no delivery yet: it is the number before the
//! first of them. So every event up to the position has a delivery or is not for the endpoint, and a crash loses no
//! event, not even one in flight.

use std::collections::BTreeSet;

use domain::delivery::webhooks::{Health, RunningRecovery};
use domain::{ConversationId, DeliveryId, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use store::Wakeup;
use store::delivery::webhooks::dispatch_state::DispatchState;

use super::endpoint_key::EndpointKey;

#[derive(Debug)]
pub(super) struct SharedProgress {
    pub key: EndpointKey,
    state: Mutex<State>,
    changed: Wakeup,
}

#[derive(Debug)]
struct State {
    /// Numbers of events that were read and have no delivery yet.
    pending: BTreeSet<i64>,
    read_to: i64,
    reached: i64,
    health: Health,
    recovery: Option<RunningRecovery>,
    /// Number of reports that were sent and are not stored yet.
    unrecorded: usize,
    recorder_events: Vec<RecorderEvent>,
}

/// What the recorder answers a dispatcher.
#[derive(Debug, Clone, Copy)]
pub(super) enum RecorderEvent {
    /// The outcome of a retry is stored.
    Recorded(DeliveryId),
    /// A delivery is due at this time.
    Due(Timestamp),
    /// At an ordered endpoint: the first attempt of a new event of this conversation delivered it, or the delivery was
    /// given up.
    Done(ConversationId),
    /// At an ordered endpoint: the first attempt of a new event of this conversation failed, and the delivery is
    /// retried later or parked. A failed retry is `Recorded` and, if there is a next attempt, `Due`.
    Failed(ConversationId),
    /// A held delivery of this conversation is stored.
    HoldStored(ConversationId),
    /// The database has no open delivery of this conversation any more.
    Freed(ConversationId),
}

impl SharedProgress {
    pub fn new(key: EndpointKey, stored: DispatchState) -> Self {
        let state = State {
            pending: BTreeSet::new(),
            read_to: stored.position,
            reached: stored.reached,
            health: stored.health,
            recovery: stored.recovery,
            unrecorded: 0,
            recorder_events: Vec::new(),
        };
        Self { key, state: Mutex::new(state), changed: Wakeup::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Records that these events were read and need a delivery, and that all other events up to `read_to` have one or
    /// are not for the endpoint.
    pub fn read(&self, numbers: impl Iterator<Item = i64>, read_to: i64) {
        let mut state = self.state();
        state.pending.extend(numbers);
        state.read_to = read_to;
    }

    pub fn reported(&self) {
        self.state().unrecorded += 1;
    }

    pub fn unrecorded(&self) -> usize {
        self.state().unrecorded
    }

    pub fn position(&self) -> i64 {
        self.state().position()
    }

    /// Waits until the recorder has answered.
    pub async fn changed(&self) {
        self.changed.woken().await;
    }

    pub fn take_recorder_events(&self) -> Vec<RecorderEvent> {
        std::mem::take(&mut self.state().recorder_events)
    }

    /// Removes these numbers from the events without a delivery, since the recorder is about to store their deliveries.
    /// Returns the position, `reached` and health for the same transaction, which the recorder repeats until it is
    /// committed.
    pub fn recording(&self, numbers: &[i64], update: impl FnOnce(Health) -> Health) -> DispatchState {
        let mut state = self.state();
        for number in numbers {
            state.pending.remove(number);
            state.reached = state.reached.max(*number);
        }
        state.health = update(state.health);
        let (health, recovery) = (state.health, state.recovery);
        DispatchState { position: state.position(), reached: state.reached, health, recovery }
    }

    /// The recorder has stored `count` reports: lowers the number of unstored ones, adds the recorder's answers, and wakes
    /// the dispatcher.
    pub fn recorded(&self, count: usize, events: impl IntoIterator<Item = RecorderEvent>) {
        let mut state = self.state();
        state.unrecorded = state.unrecorded.saturating_sub(count);
        state.recorder_events.extend(events);
        drop(state);
        self.changed.wake();
    }
}

impl State {
    /// The number up to which every event has a delivery or is not for the endpoint.
    fn position(&self) -> i64 {
        self.pending.first().map_or(self.read_to, |first| first - 1)
    }
}
