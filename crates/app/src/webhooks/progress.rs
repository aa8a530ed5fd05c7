//! What a dispatcher and the recorder share: which events are in flight, and what the recorder has stored of them.

use std::collections::BTreeSet;

use domain::webhooks::Health;
use domain::{ConversationId, DeliveryId, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use store::webhooks::lanes;
use tokio::sync::Notify;

use super::exchange::LaneKey;

#[derive(Debug)]
pub(in crate::webhooks) struct SharedProgress {
    pub key: LaneKey,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Debug)]
struct State {
    /// Numbers of events that were read and have no delivery yet.
    pending: BTreeSet<i64>,
    read_to: i64,
    reached: i64,
    health: Health,
    /// Handed over and not written down yet.
    unrecorded: usize,
    news: Vec<RecorderEvent>,
}

/// What the recorder answers a dispatcher.
#[derive(Debug, Clone, Copy)]
pub(in crate::webhooks) enum RecorderEvent {
    /// The outcome of a retry is stored.
    Recorded(DeliveryId),
    /// A delivery is due at this time.
    Due(Timestamp),
    /// The one on its way of a conversation is at its end.
    Done(ConversationId),
    /// It is tried again later.
    Failed(ConversationId),
    /// One was put behind it.
    Held(ConversationId),
    /// None is behind it any more.
    Freed(ConversationId),
}

impl SharedProgress {
    pub fn new(key: LaneKey, taken: lanes::Lane) -> Self {
        let state = State {
            pending: BTreeSet::new(),
            read_to: taken.position,
            reached: taken.reached,
            health: taken.health,
            unrecorded: 0,
            news: Vec::new(),
        };
        Self { key, state: Mutex::new(state), news: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// These events were read, and everything else up to `read_to` is not for the endpoint.
    pub fn took(&self, numbers: impl Iterator<Item = i64>, read_to: i64) {
        let mut state = self.state();
        state.pending.extend(numbers);
        state.read_to = read_to;
    }

    pub fn handed_over(&self) {
        self.state().unrecorded += 1;
    }

    pub fn unrecorded(&self) -> usize {
        self.state().unrecorded
    }

    pub fn position(&self) -> i64 {
        self.state().position()
    }

    pub async fn news(&self) {
        self.news.notified().await;
    }

    pub fn take_news(&self) -> Vec<RecorderEvent> {
        std::mem::take(&mut self.state().news)
    }

    /// These are about to be written down: where the lane is afterwards.
    pub fn recording(&self, numbers: &[i64], judge: impl FnOnce(Health) -> Health) -> lanes::Lane {
        let mut state = self.state();
        for number in numbers {
            state.pending.remove(number);
            state.reached = state.reached.max(*number);
        }
        state.health = judge(state.health);
        lanes::Lane { position: state.position(), reached: state.reached, health: state.health }
    }

    pub fn recorded(&self, count: usize, news: impl IntoIterator<Item = RecorderEvent>) {
        let mut state = self.state();
        state.unrecorded = state.unrecorded.saturating_sub(count);
        state.news.extend(news);
        drop(state);
        self.news.notify_one();
    }
}

impl State {
    /// Everything up to here has a delivery or is not for the endpoint.
    fn position(&self) -> i64 {
        self.pending.first().map_or(self.read_to, |first| first - 1)
    }
}
