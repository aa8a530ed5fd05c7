//! The wire shape of a change of the ticket in V3.

use domain::messaging::ticket_change::TicketChange;

use crate::prelude::*;
use crate::v3::messaging::assignee::ConversationAssignee;

/// A change to a conversation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TicketChange)]
pub(crate) struct TicketChangeShape {
    /// `opened` (a new conversation), `reopened`, `solved`, `pending`, `blocked`, `assigned`, `unassigned`, `snoozed`,
    /// `unsnoozed` (by an operator) or `snooze_over` (its time came). More may be added.
    #[schema(example = "assigned")]
    r#type: &'static str,
    /// For `assigned`: the new assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    assignee: Option<ConversationAssignee>,
    /// For `snoozed`: when the snooze ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-25T08:00:00.000Z", nullable = false)]
    until: Option<String>,
    /// For `assigned` and `unassigned`, if a rule did it: why, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "The rule “Orders” applies. Grace is the least busy with 2 of 5 open conversations.",
        nullable = false
    )]
    reason: Option<String>,
}

impl From<TicketChange> for TicketChangeShape {
    fn from(change: TicketChange) -> Self {
        let bare = |r#type| Self { r#type, assignee: None, until: None, reason: None };
        match change {
            TicketChange::Opened => bare("opened"),
            TicketChange::Reopened => bare("reopened"),
            TicketChange::Solved => bare("solved"),
            TicketChange::Pending => bare("pending"),
            TicketChange::Blocked => bare("blocked"),
            TicketChange::Assigned { assignee, reason } => {
                Self { assignee: Some(assignee.into()), reason, ..bare("assigned") }
            }
            TicketChange::Unassigned { reason } => Self { reason, ..bare("unassigned") },
            TicketChange::Snoozed { until } => Self { until: Some(until.to_rfc3339()), ..bare("snoozed") },
            TicketChange::Unsnoozed => bare("unsnoozed"),
            TicketChange::SnoozeOver => bare("snooze_over"),
        }
    }
}
