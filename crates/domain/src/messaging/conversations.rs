//! Conversations: one for each contact and channel, with its ticket, its assignee and the window for free-form
//! messages.

use serde::{Deserialize, Serialize};

use crate::base::named::named;
use crate::{AccountId, ChannelId, ContactId, ConversationId, Id, LabelId, TeamId, TicketId, Timestamp};

/// The business may write without a template this long after the person's last message.
pub const WINDOW_SECONDS: i64 = 24 * 60 * 60;

named! {
    ConversationStatus { Open => "open", Solved => "solved", Pending => "pending", Blocked => "block" }
}

/// Who handles a conversation.
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
    pub status: ConversationStatus,
    /// The present ticket; opening a solved conversation begins a new one.
    pub ticket_id: TicketId,
    pub assignee: Option<Assignee>,
    /// Increases with each change of status, assignee or snooze.
    pub version: i64,
    /// End of the window for free-form messages; 1970 if the person has never written.
    pub window_until: Timestamp,
    /// Time of the last message in either direction.
    pub last_at: Timestamp,
    pub last_text: Option<String>,
    pub labels: Vec<LabelId>,
    /// The conversation is set aside until this time, or until the person writes.
    pub snoozed_until: Option<Timestamp>,
    /// Number of messages of the person. What an operator has seen is such a number too, so the unread ones are a
    /// difference.
    pub inbound_count: i64,
    /// How many of these came before the present ticket.
    pub inbound_before_ticket: i64,
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
            status: ConversationStatus::Open,
            ticket_id: Id::new(now),
            assignee: None,
            version: 1,
            window_until: Timestamp::from_micros(0),
            last_at: now,
            last_text: None,
            labels: Vec::new(),
            snoozed_until: None,
            inbound_count: 0,
            inbound_before_ticket: 0,
            opened_at: now,
            created_at: now,
            updated_at: now,
        }
    }

    pub fn window_is_open(&self, now: Timestamp) -> bool {
        now < self.window_until
    }

    /// Open or pending.
    pub const fn is_active(&self) -> bool {
        matches!(self.status, ConversationStatus::Open | ConversationStatus::Pending)
    }

    /// Records a message of the person, which also ends a snooze. Returns true if it opens a solved or pending ticket;
    /// a blocked one stays blocked.
    pub fn record_inbound(&mut self, at: Timestamp, text: Option<&str>, now: Timestamp) -> bool {
        self.window_until = self.window_until.max(at.plus_seconds(WINDOW_SECONDS));
        self.set_last_message(at, text, now);
        self.set_snooze(None, now);
        let is_opened = match self.status {
            ConversationStatus::Solved => {
                self.reopen(now);
                true
            }
            ConversationStatus::Pending => {
                self.status = ConversationStatus::Open;
                true
            }
            ConversationStatus::Open | ConversationStatus::Blocked => false,
        };
        self.inbound_count += 1;
        self.version += i64::from(is_opened);
        is_opened
    }

    /// Puts the conversation aside until a time; None ends that. Returns true if it changes something.
    pub fn set_snooze(&mut self, until: Option<Timestamp>, now: Timestamp) -> bool {
        let until = until.map(Timestamp::to_millis);
        if self.snoozed_until == until {
            return false;
        }
        self.snoozed_until = until;
        self.version += 1;
        self.updated_at = now.to_millis();
        true
    }

    /// Replaces the labels. Returns true if it changes something.
    pub fn set_labels(&mut self, labels: Vec<LabelId>, now: Timestamp) -> bool {
        if self.labels == labels {
            return false;
        }
        self.labels = labels;
        self.updated_at = now.to_millis();
        true
    }

    /// When the person wrote last.
    pub fn last_inbound_at(&self) -> Option<Timestamp> {
        let has_written = self.window_until > Timestamp::from_micros(0);
        has_written.then(|| self.window_until.plus_seconds(-WINDOW_SECONDS))
    }

    /// Messages of the person that an operator has not seen. `seen` is the position of an operator who has marked the
    /// conversation before. For any other operator the present ticket is unread, unless the person wrote last before
    /// the operator's account was made (`since`).
    pub fn unread(&self, seen: Option<i64>, since: Timestamp) -> i64 {
        let is_news = self.last_inbound_at().is_some_and(|at| at >= since);
        let seen = seen.unwrap_or(if is_news { self.inbound_before_ticket } else { self.inbound_count });
        (self.inbound_count - seen).max(0)
    }

    /// Records a message of the business. Returns true if it opens a solved ticket.
    pub fn record_outbound(&mut self, at: Timestamp, text: Option<&str>, now: Timestamp) -> bool {
        self.set_last_message(at, text, now);
        if self.status != ConversationStatus::Solved {
            return false;
        }
        self.reopen(now);
        self.version += 1;
        true
    }

    /// Sets the status. From solved to open, a new ticket begins; solving or blocking ends a snooze. Returns true if it
    /// changes something.
    pub fn set_status(&mut self, status: ConversationStatus, now: Timestamp) -> bool {
        if self.status == status {
            return false;
        }
        if self.status == ConversationStatus::Solved && status == ConversationStatus::Open {
            self.reopen(now);
        }
        if matches!(status, ConversationStatus::Solved | ConversationStatus::Blocked) {
            self.snoozed_until = None;
        }
        self.status = status;
        self.version += 1;
        self.updated_at = now.to_millis();
        true
    }

    /// Returns true if it changes something.
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
        self.status = ConversationStatus::Open;
        self.ticket_id = Id::new(now);
        self.opened_at = now.to_millis();
        self.inbound_before_ticket = self.inbound_count;
    }

    /// Keeps the latest message; messages arrive in any order.
    fn set_last_message(&mut self, at: Timestamp, text: Option<&str>, now: Timestamp) {
        if at >= self.last_at || self.last_text.is_none() {
            self.last_at = self.last_at.max(at.to_millis());
            self.last_text = text.map(preview);
        }
        self.updated_at = now.to_millis();
    }
}

/// One of several conversations that fit an ambiguous target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationChoice {
    pub conversation_id: ConversationId,
    pub channel_id: ChannelId,
    pub channel_name: String,
    pub channel_phone_number: String,
    pub last_message_at: Timestamp,
}

/// Most characters of the last message that lists show.
const PREVIEW_CHARACTERS: usize = 100;

pub fn preview(text: &str) -> String {
    text.chars().take(PREVIEW_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn conversation() -> Conversation {
        Conversation::new(Id::seeded(NOW, 1), Id::seeded(NOW, 2), NOW)
    }

    #[test]
    fn the_window_is_open_for_a_day_after_the_last_message_of_the_person() {
        let mut one = conversation();
        assert!(!one.window_is_open(NOW));
        one.record_inbound(NOW, Some("hi"), NOW);
        one.record_inbound(NOW.plus_seconds(-60), Some("before"), NOW);
        assert!(one.window_is_open(NOW.plus_seconds(WINDOW_SECONDS - 1)));
        assert!(!one.window_is_open(NOW.plus_seconds(WINDOW_SECONDS)));
        assert_eq!(one.last_text.as_deref(), Some("hi"));
    }

    #[test]
    fn a_solved_ticket_is_opened_again_as_a_new_one_and_a_blocked_one_is_not() {
        let mut one = conversation();
        let first = one.ticket_id;
        assert!(one.set_status(ConversationStatus::Solved, NOW));
        assert!(!one.set_status(ConversationStatus::Solved, NOW));
        assert!(one.record_inbound(NOW, None, NOW));
        assert_eq!((one.status, one.version), (ConversationStatus::Open, 3));
        assert_ne!(one.ticket_id, first);
        one.set_status(ConversationStatus::Blocked, NOW);
        assert!(!one.record_inbound(NOW, None, NOW));
        assert_eq!(one.status, ConversationStatus::Blocked);
        one.set_status(ConversationStatus::Pending, NOW);
        assert!(one.record_inbound(NOW, None, NOW));
        assert!(one.is_active());
    }

    #[test]
    fn a_message_of_the_person_or_an_end_of_the_ticket_ends_a_snooze() {
        let mut one = conversation();
        assert!(one.set_snooze(Some(LATER), NOW) && !one.set_snooze(Some(LATER), NOW));
        assert_eq!((one.snoozed_until, one.version), (Some(LATER), 2));
        one.record_outbound(NOW, Some("a"), NOW);
        assert_eq!(one.snoozed_until, Some(LATER), "what the business writes leaves it");
        assert!(!one.record_inbound(NOW, Some("b"), NOW));
        assert_eq!((one.snoozed_until, one.version), (None, 3));
        for (status, kept) in [(ConversationStatus::Pending, true), (ConversationStatus::Solved, false)] {
            one.set_snooze(Some(LATER), NOW);
            one.set_status(status, NOW);
            assert_eq!(one.snoozed_until.is_some(), kept, "{status}");
        }
    }

    #[test]
    fn what_an_operator_has_not_seen_is_counted() {
        let mut one = conversation();
        assert_eq!(one.unread(None, NOW), 0, "nothing was written");
        for _ in 0..3 {
            one.record_inbound(LATER, Some("a"), LATER);
        }
        assert_eq!((one.unread(None, NOW), one.unread(Some(1), NOW), one.unread(Some(3), NOW)), (3, 2, 0));
        assert_eq!(one.unread(None, LATER.plus_seconds(1)), 0, "before the operator came");
        one.set_status(ConversationStatus::Solved, LATER);
        one.record_inbound(LATER, Some("b"), LATER);
        assert_eq!((one.inbound_before_ticket, one.unread(None, NOW)), (3, 1), "the present ticket");
        assert_eq!(one.unread(Some(-1), NOW), 5, "marked as unread before the person wrote");
        one.record_outbound(LATER, Some("c"), LATER);
        assert_eq!(one.unread(Some(4), NOW), 0);
    }

    type Record = fn(&mut Conversation) -> bool;

    fn in_status(status: ConversationStatus) -> Conversation {
        Conversation { status, ..conversation() }
    }

    const LATER: Timestamp = NOW.plus_seconds(3600);

    #[test]
    fn a_new_conversation_is_open_unassigned_and_outside_of_any_window() {
        let one = Conversation::new(Id::seeded(NOW, 1), Id::seeded(NOW, 2), Timestamp::from_micros(NOW.micros() + 999));
        assert_eq!(
            (one.status, one.version, &one.assignee, &one.last_text),
            (ConversationStatus::Open, 1, &None, &None)
        );
        assert_eq!((one.channel_id, one.contact_id), (Id::seeded(NOW, 1), Id::seeded(NOW, 2)));
        assert_eq!([one.opened_at, one.created_at, one.updated_at, one.last_at], [NOW; 4], "cut to milliseconds");
        assert_eq!(one.window_until, Timestamp::from_micros(0));
        assert!(!one.window_is_open(Timestamp::from_micros(0)), "the person has never written");
    }

    #[test]
    fn the_window_ends_to_the_microsecond_24_hours_after_the_message() {
        let mut one = conversation();
        one.record_inbound(NOW, None, LATER);
        let end = NOW.micros() + 86_400_000_000;
        for (micros, open) in [(NOW.micros(), true), (end - 1, true), (end, false), (end + 1, false)] {
            assert_eq!(one.window_is_open(Timestamp::from_micros(micros)), open, "{}", micros - end);
        }
    }

    #[test]
    fn what_the_business_writes_opens_no_window() {
        let mut one = conversation();
        one.record_outbound(NOW, Some("hello"), NOW);
        assert!(!one.window_is_open(NOW));
    }

    #[test]
    fn open_and_pending_conversations_are_active() {
        for (status, active) in [
            (ConversationStatus::Open, true),
            (ConversationStatus::Pending, true),
            (ConversationStatus::Solved, false),
            (ConversationStatus::Blocked, false),
        ] {
            assert_eq!(in_status(status).is_active(), active, "{status}");
        }
    }

    #[test]
    fn a_message_of_either_side_changes_the_ticket_as_the_table_says() {
        use ConversationStatus::{Blocked, Open, Pending, Solved};
        // Status before, status after, is it a change, is there a new ticket.
        let by_person = [
            (Open, Open, false, false),
            (Pending, Open, true, false),
            (Solved, Open, true, true),
            (Blocked, Blocked, false, false),
        ];
        let by_business = [
            (Open, Open, false, false),
            (Pending, Pending, false, false),
            (Solved, Open, true, true),
            (Blocked, Blocked, false, false),
        ];
        let sides: [(_, Record); 2] = [
            (by_person, |one| one.record_inbound(NOW, Some("a"), LATER)),
            (by_business, |one| one.record_outbound(NOW, Some("a"), LATER)),
        ];
        for (table, record) in sides {
            for (before, after, changed, new_ticket) in table {
                let was = in_status(before);
                let mut one = was.clone();
                assert_eq!(record(&mut one), changed, "{before}");
                assert_eq!((one.status, one.version), (after, 1 + i64::from(changed)), "{before}");
                assert_eq!(one.ticket_id != was.ticket_id, new_ticket, "{before}");
                assert_eq!(one.opened_at, if new_ticket { LATER } else { NOW }, "{before}");
                assert_eq!((one.updated_at, one.last_text.as_deref()), (LATER, Some("a")), "{before}");
            }
        }
    }

    #[test]
    fn only_opening_a_solved_ticket_begins_a_new_one() {
        for before in ConversationStatus::ALL {
            for after in ConversationStatus::ALL {
                let was = in_status(*before);
                let mut one = was.clone();
                let changed = before != after;
                assert_eq!(one.set_status(*after, LATER), changed, "{before} to {after}");
                assert_eq!((one.status, one.version), (*after, 1 + i64::from(changed)), "{before} to {after}");
                assert_eq!(one.updated_at, if changed { LATER } else { NOW }, "{before} to {after}");
                let new_ticket = (*before, *after) == (ConversationStatus::Solved, ConversationStatus::Open);
                assert_eq!(one.ticket_id != was.ticket_id, new_ticket, "{before} to {after}");
                assert_eq!(one.opened_at, if new_ticket { LATER } else { NOW }, "{before} to {after}");
            }
        }
    }

    #[test]
    fn assigning_counts_a_version_only_when_the_assignee_changes() {
        let team = |name: &str| Some(Assignee::Team { id: Id::seeded(NOW, 3), name: name.to_owned() });
        let mut one = conversation();
        for (assignee, changed, version) in [
            (None, false, 1),
            (team("Sales"), true, 2),
            (team("Sales"), false, 2),
            (team("Support"), true, 3),
            (Some(Assignee::Bot), true, 4),
            (None, true, 5),
        ] {
            let at = NOW.plus_seconds(version);
            let before = one.updated_at;
            assert_eq!(one.assign(assignee.clone(), at), changed, "{assignee:?}");
            assert_eq!((&one.assignee, one.version), (&assignee, version));
            assert_eq!(one.updated_at, if changed { at } else { before }, "{assignee:?}");
        }
    }

    #[test]
    fn an_assignee_is_stored_under_its_kind() {
        let operator =
            Assignee::Operator { id: Id::seeded(NOW, 3), email: "g@example.com".into(), name: "Grace".into() };
        let text = serde_json::to_value(&operator).unwrap();
        assert_eq!((&text["kind"], &text["email"]), (&"operator".into(), &"g@example.com".into()));
        assert_eq!(serde_json::from_value::<Assignee>(text).unwrap(), operator);
    }

    #[test]
    fn the_latest_message_is_kept_in_any_order_of_arrival() {
        let mut one = conversation();
        // The first message may be older than the row: its text is kept, and the time does not go back.
        one.record_outbound(NOW.plus_seconds(-5), Some("first"), NOW);
        assert_eq!((one.last_text.as_deref(), one.last_at), (Some("first"), NOW));
        for (second, text, shown, at) in [
            (10, "ten", "ten", 10),
            (9, "nine", "ten", 10),
            (10, "ten too", "ten too", 10),
            (11, "eleven", "eleven", 11),
        ] {
            one.record_inbound(NOW.plus_seconds(second), Some(text), NOW);
            assert_eq!((one.last_text.as_deref(), one.last_at), (Some(shown), NOW.plus_seconds(at)), "{text}");
        }
    }

    #[test]
    fn times_are_kept_in_milliseconds() {
        let off = |at: Timestamp| Timestamp::from_micros(at.micros() + 999);
        let mut one = conversation();
        one.record_inbound(off(LATER), Some("a"), off(LATER));
        assert_eq!((one.last_at, one.updated_at), (LATER, LATER));
        one.set_status(ConversationStatus::Solved, off(NOW));
        assert_eq!(one.updated_at, NOW);
        one.set_status(ConversationStatus::Open, off(LATER));
        assert_eq!((one.updated_at, one.opened_at), (LATER, LATER));
        one.assign(Some(Assignee::Bot), off(NOW));
        assert_eq!(one.updated_at, NOW);
    }

    #[test]
    fn lists_show_the_first_hundred_characters() {
        assert_eq!(preview("short"), "short");
        assert_eq!(preview(&"ä".repeat(100)), "ä".repeat(100));
        assert_eq!(preview(&"ä".repeat(101)), "ä".repeat(100));
        let mut one = conversation();
        one.record_inbound(NOW, Some(&"x".repeat(200)), NOW);
        assert_eq!(one.last_text.map(|text| text.len()), Some(100));
    }

    proptest! {
        #[test]
        fn the_window_follows_the_latest_message_in_any_order(seconds in prop::collection::vec(0_i64..200_000, 1..8)) {
            let mut one = conversation();
            let mut until = one.window_until;
            for second in &seconds {
                one.record_inbound(NOW.plus_seconds(*second), None, NOW);
                prop_assert!(one.window_until >= until, "a window never becomes shorter");
                until = one.window_until;
            }
            let last = seconds.iter().max().copied().unwrap_or_default();
            prop_assert_eq!(until, NOW.plus_seconds(last + 86_400));
        }
    }
}
