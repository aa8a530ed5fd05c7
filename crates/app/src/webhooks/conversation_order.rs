//! Order for each conversation, where an endpoint wants it: one event of a conversation is on its way at a time. Those
//! behind one that failed are held in the database until it has gone through or was given up.

use std::collections::{HashMap, VecDeque};

use domain::ConversationId;
use domain::events::Event;

/// Events that wait in memory for one of their conversation; then no more is read.
const MOST_WAITING: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct Order {
    /// Conversations of which one is on its way, and those that wait for it.
    busy: HashMap<ConversationId, VecDeque<Event>>,
    /// Conversations of which one failed, and how many were put behind it that are not written down yet.
    stuck: HashMap<ConversationId, usize>,
    waiting: usize,
}

/// When an event's turn is.
#[derive(Debug)]
pub(super) enum Turn {
    Now(Event),
    Later,
    /// It is put behind one that failed.
    Hold(Event),
}

impl Order {
    pub fn after(stuck: impl IntoIterator<Item = ConversationId>) -> Self {
        Self { stuck: stuck.into_iter().map(|conversation| (conversation, 0)).collect(), ..Self::default() }
    }

    pub fn has_room(&self) -> bool {
        self.waiting < MOST_WAITING
    }

    pub fn turn(&mut self, event: Event) -> Turn {
        let Some(conversation) = event.conversation_id() else { return Turn::Now(event) };
        if let Some(unwritten) = self.stuck.get_mut(&conversation) {
            *unwritten += 1;
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

    /// The one on its way has gone through or was given up: the next one.
    pub fn done(&mut self, conversation: ConversationId) -> Option<Event> {
        let next = self.busy.get_mut(&conversation)?.pop_front();
        match next {
            Some(_) => self.waiting -= 1,
            None => drop(self.busy.remove(&conversation)),
        }
        next
    }

    /// The one on its way failed and is tried again later: what waits is to be held.
    pub fn failed(&mut self, conversation: ConversationId) -> Vec<Event> {
        let behind = Vec::from(self.busy.remove(&conversation).unwrap_or_default());
        self.waiting -= behind.len();
        *self.stuck.entry(conversation).or_default() += behind.len();
        behind
    }

    /// One that is held was written down.
    pub fn held(&mut self, conversation: ConversationId) {
        if let Some(unwritten) = self.stuck.get_mut(&conversation) {
            *unwritten = unwritten.saturating_sub(1);
        }
    }

    /// Nothing is held any more, as far as it was written down. False when more has been put behind meanwhile: then it is
    /// to be asked for again.
    pub fn freed(&mut self, conversation: ConversationId) -> bool {
        let is_free = self.stuck.get(&conversation).is_none_or(|unwritten| *unwritten == 0);
        if is_free {
            self.stuck.remove(&conversation);
        }
        is_free
    }
}
