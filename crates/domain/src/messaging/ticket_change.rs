//! Changes of a conversation's ticket. Each is a row of the conversation's history, with its English text as the row's
//! text and its JSON as the row's content.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::conversations::{Assignee, ConversationStatus};
use crate::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum TicketChange {
    /// The conversation is new.
    Opened,
    Reopened,
    Solved,
    Pending,
    Blocked,
    /// `reason`: why a rule has assigned it. None if a person or a program did.
    Assigned {
        assignee: Assignee,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Unassigned {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Snoozed {
        until: Timestamp,
    },
    /// An operator ended the snooze.
    Unsnoozed,
    /// The snooze ended at its time.
    SnoozeOver,
}

impl TicketChange {
    pub fn to_json(&self) -> String {
        crate::to_json(self)
    }

    /// The change to an assignee; None is unassigned.
    pub fn assignment(assignee: Option<Assignee>, reason: Option<String>) -> Self {
        match assignee {
            Some(assignee) => Self::Assigned { assignee, reason },
            None => Self::Unassigned { reason },
        }
    }

    /// None if the text is not the JSON of a change.
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// The change of an existing conversation to a status.
impl From<ConversationStatus> for TicketChange {
    fn from(status: ConversationStatus) -> Self {
        match status {
            ConversationStatus::Open => Self::Reopened,
            ConversationStatus::Solved => Self::Solved,
            ConversationStatus::Pending => Self::Pending,
            ConversationStatus::Blocked => Self::Blocked,
        }
    }
}

/// The change to an assignee; None is unassigned.
impl From<Option<Assignee>> for TicketChange {
    fn from(assignee: Option<Assignee>) -> Self {
        Self::assignment(assignee, None)
    }
}

/// The text of the row in the history. V1 and V2 have nothing else.
impl fmt::Display for TicketChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opened => f.write_str("The ticket was opened"),
            Self::Reopened => f.write_str("The ticket was opened again"),
            Self::Solved => f.write_str("The ticket was solved"),
            Self::Pending => f.write_str("The ticket was set to pending"),
            Self::Blocked => f.write_str("The conversation was blocked"),
            Self::Assigned { assignee: Assignee::Bot, .. } => f.write_str("The ticket was assigned to the bot"),
            Self::Assigned { assignee: Assignee::Operator { name, .. }, .. } => {
                write!(f, "The ticket was assigned to {name}")
            }
            Self::Assigned { assignee: Assignee::Team { name, .. }, .. } => {
                write!(f, "The ticket was assigned to the team {name}")
            }
            Self::Unassigned { .. } => f.write_str("The ticket was assigned to nobody"),
            Self::Snoozed { until } => write!(f, "The conversation was snoozed until {}", until.to_rfc3339()),
            Self::Unsnoozed => f.write_str("The conversation is no longer snoozed"),
            Self::SnoozeOver => f.write_str("The snooze is over"),
        }?;
        match self {
            Self::Assigned { reason: Some(reason), .. } | Self::Unassigned { reason: Some(reason) } => {
                write!(f, ". {reason}")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn operator() -> Assignee {
        Assignee::Operator { id: Id::from_bytes([1; 12]), email: "ada@example.com".into(), name: "Ada \"A\"".into() }
    }

    fn team() -> Assignee {
        Assignee::Team { id: Id::from_bytes([2; 12]), name: "Sales".into() }
    }

    #[test]
    fn a_change_has_its_text_and_is_read_back_from_its_json() {
        let until = Timestamp::from_seconds(1_776_000_000);
        let operator_json = concat!(
            r#"{"type":"assigned","assignee":{"kind":"operator","id":"010101010101010101010101","#,
            r#""email":"ada@example.com","name":"Ada \"A\""}}"#,
        );
        let team_json =
            r#"{"type":"assigned","assignee":{"kind":"team","id":"020202020202020202020202","name":"Sales"}}"#;
        let bot_json = r#"{"type":"assigned","assignee":{"kind":"bot"}}"#;
        for (change, json, text) in [
            (TicketChange::Opened, r#"{"type":"opened"}"#, "The ticket was opened"),
            (ConversationStatus::Open.into(), r#"{"type":"reopened"}"#, "The ticket was opened again"),
            (ConversationStatus::Solved.into(), r#"{"type":"solved"}"#, "The ticket was solved"),
            (ConversationStatus::Pending.into(), r#"{"type":"pending"}"#, "The ticket was set to pending"),
            (ConversationStatus::Blocked.into(), r#"{"type":"blocked"}"#, "The conversation was blocked"),
            (Some(Assignee::Bot).into(), bot_json, "The ticket was assigned to the bot"),
            (Some(operator()).into(), operator_json, "The ticket was assigned to Ada \"A\""),
            (Some(team()).into(), team_json, "The ticket was assigned to the team Sales"),
            (None::<Assignee>.into(), r#"{"type":"unassigned"}"#, "The ticket was assigned to nobody"),
            (
                TicketChange::assignment(None, Some("Ada is away.".into())),
                r#"{"type":"unassigned","reason":"Ada is away."}"#,
                "The ticket was assigned to nobody. Ada is away.",
            ),
            (
                TicketChange::Snoozed { until },
                r#"{"type":"snoozed","until":1776000000000000}"#,
                "The conversation was snoozed until 2026-04-12T13:20:00.000Z",
            ),
            (TicketChange::Unsnoozed, r#"{"type":"unsnoozed"}"#, "The conversation is no longer snoozed"),
            (TicketChange::SnoozeOver, r#"{"type":"snooze_over"}"#, "The snooze is over"),
        ] {
            assert_eq!((change.to_json().as_str(), change.to_string().as_str()), (json, text));
            assert_eq!(TicketChange::from_json(json), Some(change));
        }
    }

    #[test]
    fn other_texts_are_no_change() {
        for other in
            ["", "{}", "[1]", r#"{"type":"moved"}"#, r#"{"type":"assigned"}"#, r#"{"type":"snoozed","until":"x"}"#]
        {
            assert_eq!(TicketChange::from_json(other), None, "{other}");
        }
    }
}
