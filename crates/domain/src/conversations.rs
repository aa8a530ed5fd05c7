//! Conversations: one for each person and channel, with a ticket that is opened, taken, solved and opened again, and the
//! window in which the business may write freely.

use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::{AccountId, ChannelId, ContactId, ConversationId, Id, TeamId, TicketId, Timestamp};

/// How long after a person's last message the business may write without a template.
pub const WINDOW_SECONDS: i64 = 24 * 60 * 60;

named! {
    Status { Open => "open", Solved => "solved", Pending => "pending", Blocked => "block" }
}

/// Who looks after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Assignee {
    Bot,
    Operator { id: AccountId, email: String, name: String },
    Team { id: TeamId, name: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    pub channel_id: ChannelId,
    pub contact_id: ContactId,
    pub status: Status,
    /// Of the present ticket; each opening begins a new one.
    pub ticket_id: TicketId,
    pub assignee: Option<Assignee>,
    /// Counts changes of status and assignee: of two who take it at the same time, one finds another number.
    pub version: i64,
    /// Until when the business may write freely; 1970 when the person has never written.
    pub window_until: Timestamp,
    /// Of the last message in either direction.
    pub last_at: Timestamp,
    pub last_text: Option<String>,
    pub opened_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Conversation {
    pub fn new(channel_id: ChannelId, contact_id: ContactId, now: Timestamp) -> Self {
        let now = now.to_millis();
        Self {
            id: Id::new(now),
            channel_id,
            contact_id,
            status: Status::Open,
            ticket_id: Id::new(now),
            assignee: None,
            version: 1,
            window_until: Timestamp::from_micros(0),
            last_at: now,
            last_text: None,
            opened_at: now,
            created_at: now,
            updated_at: now,
        }
    }

    pub fn window_is_open(&self, now: Timestamp) -> bool {
        now < self.window_until
    }

    /// Open or waiting for somebody: not solved, not blocked.
    pub const fn is_active(&self) -> bool {
        matches!(self.status, Status::Open | Status::Pending)
    }

    /// The person wrote. True when a solved or waiting ticket is opened by it; a blocked one stays blocked.
    pub fn received(&mut self, at: Timestamp, text: Option<&str>, now: Timestamp) -> bool {
        self.window_until = self.window_until.max(at.plus_seconds(WINDOW_SECONDS));
        self.noted(at, text, now);
        match self.status {
            Status::Solved => self.reopen(now),
            Status::Pending => self.status = Status::Open,
            Status::Open | Status::Blocked => return false,
        }
        self.version += 1;
        true
    }

    /// The business wrote. True when a solved ticket is opened by it.
    pub fn wrote(&mut self, at: Timestamp, text: Option<&str>, now: Timestamp) -> bool {
        self.noted(at, text, now);
        if self.status != Status::Solved {
            return false;
        }
        self.reopen(now);
        self.version += 1;
        true
    }

    /// True when this changes something.
    pub fn set_status(&mut self, status: Status, now: Timestamp) -> bool {
        if self.status == status {
            return false;
        }
        if self.status == Status::Solved && status == Status::Open {
            self.reopen(now);
        }
        self.status = status;
        self.version += 1;
        self.updated_at = now.to_millis();
        true
    }

    /// True when this changes something.
    pub fn assign(&mut self, assignee: Option<Assignee>, now: Timestamp) -> bool {
        if self.assignee == assignee {
            return false;
        }
        self.assignee = assignee;
        self.version += 1;
        self.updated_at = now.to_millis();
        true
    }

    fn reopen(&mut self, now: Timestamp) {
        self.status = Status::Open;
        self.ticket_id = Id::new(now);
        self.opened_at = now.to_millis();
    }

    /// Messages arrive in any order; the last one is shown.
    fn noted(&mut self, at: Timestamp, text: Option<&str>, now: Timestamp) {
        if at >= self.last_at || self.last_text.is_none() {
            self.last_at = self.last_at.max(at.to_millis());
            self.last_text = text.map(shortened);
        }
        self.updated_at = now.to_millis();
    }
}

/// Lists show a glimpse of the last message, not all of it.
const GLIMPSE: usize = 100;

pub fn shortened(text: &str) -> String {
    text.chars().take(GLIMPSE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn conversation() -> Conversation {
        Conversation::new(Id::seeded(NOW, 1), Id::seeded(NOW, 2), NOW)
    }

    #[test]
    fn the_window_is_open_for_a_day_after_the_last_message_of_the_person() {
        let mut one = conversation();
        assert!(!one.window_is_open(NOW));
        one.received(NOW, Some("hi"), NOW);
        one.received(NOW.plus_seconds(-60), Some("before"), NOW);
        assert!(one.window_is_open(NOW.plus_seconds(WINDOW_SECONDS - 1)));
        assert!(!one.window_is_open(NOW.plus_seconds(WINDOW_SECONDS)));
        assert_eq!(one.last_text.as_deref(), Some("hi"));
    }

    #[test]
    fn a_solved_ticket_is_opened_again_as_a_new_one_and_a_blocked_one_is_not() {
        let mut one = conversation();
        let first = one.ticket_id;
        assert!(one.set_status(Status::Solved, NOW));
        assert!(!one.set_status(Status::Solved, NOW));
        assert!(one.received(NOW, None, NOW));
        assert_eq!((one.status, one.version), (Status::Open, 3));
        assert_ne!(one.ticket_id, first);
        one.set_status(Status::Blocked, NOW);
        assert!(!one.received(NOW, None, NOW));
        assert_eq!(one.status, Status::Blocked);
        one.set_status(Status::Pending, NOW);
        assert!(one.received(NOW, None, NOW));
        assert!(one.is_active());
    }
}
