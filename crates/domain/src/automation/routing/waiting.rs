//! Conversations that wait for an operator.

use serde::{Deserialize, Serialize};

use crate::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use crate::people::teams::Language;
use crate::{AccountId, ChannelId, ConversationId, LabelId, SegmentId, TeamId, Timestamp};

/// What a conversation waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum RoutingTarget {
    /// A member of the team.
    Team(TeamId),
    /// This operator and no other.
    Operator(AccountId),
    /// An operator who takes it by hand.
    Unassigned,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingConversation {
    pub id: ConversationId,
    pub waiting_since: Timestamp,
    pub channel: ChannelId,
    pub labels: Vec<LabelId>,
    /// All segments of the contact, computed ones included.
    pub segments: Vec<SegmentId>,
    pub language: Option<Language>,
    pub waits_for: RoutingTarget,
    /// The operator who had the conversation before it was solved.
    pub former_operator: Option<AccountId>,
}

/// Whether a conversation waits for an operator: it is open, not snoozed, and with no operator and not with the bot.
pub fn is_waiting(one: &Conversation) -> bool {
    one.status == ConversationStatus::Open
        && one.snoozed_until.is_none()
        && matches!(one.assignee, None | Some(Assignee::Team { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    #[test]
    fn open_conversations_without_an_operator_wait() {
        let fresh = Conversation::new(Id::seeded(NOW, 1), Id::seeded(NOW, 2), NOW);
        let with = |assignee| Conversation { assignee: Some(assignee), ..fresh.clone() };
        assert!(is_waiting(&fresh));
        assert!(is_waiting(&with(Assignee::Team { id: Id::seeded(NOW, 3), name: "Sales".into() })));
        assert!(!is_waiting(&with(Assignee::Bot)));
        let email = "ada@example.com".to_owned();
        assert!(!is_waiting(&with(Assignee::Operator { id: Id::seeded(NOW, 4), email, name: "Ada".into() })));
        assert!(!is_waiting(&Conversation { snoozed_until: Some(NOW), ..fresh.clone() }));
        for status in [ConversationStatus::Solved, ConversationStatus::Pending, ConversationStatus::Blocked] {
            assert!(!is_waiting(&Conversation { status, ..fresh.clone() }), "{status}");
        }
    }
}
