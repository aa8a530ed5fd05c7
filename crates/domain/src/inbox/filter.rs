//! Filters of conversations.

use crate::messaging::conversations::{Conversation, ConversationStatus};
use crate::{AssigneeId, ChannelId, LabelId};

/// A filter by assignee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignedTo {
    Unassigned,
    Bot,
    /// An operator or a team.
    Id(AssigneeId),
}

#[derive(Debug, Clone, Default)]
pub struct ConversationFilter {
    pub status: Option<ConversationStatus>,
    pub assignee: Option<AssignedTo>,
    pub channel: Option<ChannelId>,
    pub label: Option<LabelId>,
    pub snoozed: Option<bool>,
}

impl ConversationFilter {
    pub fn allows(&self, one: &Conversation) -> bool {
        use crate::messaging::conversations::Assignee::{Bot, Operator, Team};
        let assigned = match (self.assignee, &one.assignee) {
            (None, _) | (Some(AssignedTo::Unassigned), None) | (Some(AssignedTo::Bot), Some(Bot)) => true,
            (Some(AssignedTo::Id(wanted)), Some(Operator { id, .. })) => wanted == (*id).into(),
            (Some(AssignedTo::Id(wanted)), Some(Team { id, .. })) => wanted == (*id).into(),
            _ => false,
        };
        assigned
            && self.status.is_none_or(|status| status == one.status)
            && self.channel.is_none_or(|channel| channel == one.channel_id)
            && self.label.is_none_or(|label| one.labels.contains(&label))
            && self.snoozed.is_none_or(|snoozed| snoozed == one.snoozed_until.is_some())
    }
}
