//! Ordered delivery, for endpoints that switch it on: one event of a conversation is in flight at a time, in the order
//! of the log. Events after a failed one are held in the database until the failed one is delivered or given up; then
//! the recorder releases the oldest held one, and so on one by one. Events of no conversation are not ordered, and
//! neither are retries that a client requests.
//!
//! The state is in memory, for the time that a dispatcher runs. A new dispatcher begins with the conversations that
//! have an open delivery in the database.

use std::collections::{HashMap, VecDeque};

use domain::ConversationId;
use domain::delivery::events::Event;

/// When this many events wait in memory behind another event of their conversation, the dispatcher stops reading the
/// log.
const MOST_WAITING: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct ConversationOrder {
    /// Conversations with a new event that is ready to be attempted, in flight, or answered and not stored yet, and the
    /// events that wait for it. Conversations of retries are not here but in `blocked`.
    busy: HashMap<ConversationId, VecDeque<Event>>,
    /// Conversations that have an open delivery (retrying, held or parked) in the database, and for each how many held
    /// deliveries are not stored yet.
    blocked: HashMap<ConversationId, usize>,
    waiting: usize,
}

/// When an event may be attempted.
#[derive(Debug)]
pub(super) enum Turn {
    Now(Event),
    /// An earlier event of the conversation is in flight, so this one waits in memory.
    Later,
    /// An earlier event of the conversation failed, so the delivery of this one must be stored as held.
    Hold(Event),
}

impl ConversationOrder {
    pub fn after(blocked: impl IntoIterator<Item = ConversationId>) -> Self {
        Self { blocked: blocked.into_iter().map(|conversation| (conversation, 0)).collect(), ..Self::default() }
    }

    pub fn has_room(&self) -> bool {
        self.waiting < MOST_WAITING
    }

    pub fn turn(&mut self, event: Event) -> Turn {
        let Some(conversation) = event.conversation_id() else { return Turn::Now(event) };
        if let Some(unstored) = self.blocked.get_mut(&conversation) {
            *unstored += 1;
            return Turn::Hold(event);
        }
        if let Some(behind) = self.busy.get_mut(&conversation) {
            behind.push_back(event);
            self.waiting += 1;
            return Turn::Later;
        }
        self.busy.insert(conversation, VecDeque::new());
        Turn::Now(event)
    }

    /// Records that the delivery in flight was delivered or given up. Returns the next event of the conversation, which
    /// may be attempted now. None when no event waits in memory: the conversation is then free.
    pub fn done(&mut self, conversation: ConversationId) -> Option<Event> {
        let next = self.busy.get_mut(&conversation)?.pop_front();
        match next {
            Some(_) => self.waiting -= 1,
            None => drop(self.busy.remove(&conversation)),
        }
        next
    }

    /// Records that the delivery in flight failed and stays open. Returns the events that waited for it, which must be
    /// held.
    pub fn failed(&mut self, conversation: ConversationId) -> Vec<Event> {
        let behind = Vec::from(self.busy.remove(&conversation).unwrap_or_default());
        self.waiting -= behind.len();
        *self.blocked.entry(conversation).or_default() += behind.len();
        behind
    }

    /// Records that a held delivery was stored.
    pub fn hold_stored(&mut self, conversation: ConversationId) {
        if let Some(unstored) = self.blocked.get_mut(&conversation) {
            *unstored = unstored.saturating_sub(1);
        }
    }

    /// Records that the database has no open delivery of the conversation any more, so that its next event may be
    /// attempted at once. Returns false when held deliveries of this dispatcher are not stored yet: it must then
    /// request their release again.
    pub fn freed(&mut self, conversation: ConversationId) -> bool {
        let is_free = self.blocked.get(&conversation).is_none_or(|unstored| *unstored == 0);
        if is_free {
            self.blocked.remove(&conversation);
        }
        is_free
    }
}
