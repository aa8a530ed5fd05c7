//! The answer to a template send: for each recipient the message that was accepted for sending, or why none was.

use domain::{BroadcastId, ChannelId, ContactId, MessageId, Place, TemplateId, Timestamp};
use serde::{Deserialize, Serialize};

use super::Refusal;

/// The answer. It is also stored under the request's idempotency key, as JSON: a repeated request gets the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedBroadcast {
    pub broadcast_id: BroadcastId,
    pub template_id: TemplateId,
    pub template_name: String,
    pub channel_id: ChannelId,
    pub channel_phone_number: String,
    pub scheduled_at: Option<Timestamp>,
    /// One outcome for each recipient, in the order of the request.
    pub recipients: Vec<RecipientOutcome>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipientOutcome {
    /// The target as the request has it.
    pub target: String,
    pub phone: Option<String>,
    pub contact_id: Option<ContactId>,
    /// None when no message was accepted.
    pub message_id: Option<MessageId>,
    pub local_id: String,
    pub problem: Option<RecipientProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipientProblem {
    pub refusal: Refusal,
    /// What is wrong, within the recipient.
    #[serde(rename = "parameter")]
    pub place: Place,
    pub message: String,
}

impl RecipientProblem {
    pub fn new(refusal: Refusal, place: impl Into<Place>) -> Self {
        Self { refusal, place: place.into(), message: refusal.text().to_owned() }
    }

    pub fn with_message(refusal: Refusal, place: impl Into<Place>, message: impl std::fmt::Display) -> Self {
        Self { refusal, place: place.into(), message: message.to_string() }
    }
}

impl AcceptedBroadcast {
    /// How many messages were accepted for sending.
    pub fn message_count(&self) -> usize {
        self.recipients.iter().filter(|one| one.message_id.is_some()).count()
    }
}
