//! What a send answers: for each recipient the message that will leave, or why none will.

use domain::{BroadcastId, ChannelId, ContactId, MessageId, TemplateId, Timestamp};
use serde::{Deserialize, Serialize};

use super::Refusal;

/// Stored under an idempotency key as well, so that the same request again has the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub broadcast_id: BroadcastId,
    pub template_id: TemplateId,
    pub template_name: String,
    pub channel_id: ChannelId,
    pub channel_phone_number: String,
    pub scheduled_at: Option<Timestamp>,
    /// In the order of the request.
    pub recipients: Vec<Outcome>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// As the request has it.
    pub target: String,
    pub phone: Option<String>,
    pub contact_id: Option<ContactId>,
    /// None when nothing will leave.
    pub message_id: Option<MessageId>,
    pub local_id: String,
    pub problem: Option<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub refusal: Refusal,
    /// The member of the recipient that is wrong.
    pub parameter: String,
    pub message: String,
}

impl Problem {
    pub fn new(refusal: Refusal, parameter: &str) -> Self {
        Self { refusal, parameter: parameter.to_owned(), message: refusal.text().to_owned() }
    }

    pub fn told(refusal: Refusal, parameter: &str, message: impl std::fmt::Display) -> Self {
        Self { refusal, parameter: parameter.to_owned(), message: message.to_string() }
    }
}

impl Accepted {
    /// How many will leave.
    pub fn leaving(&self) -> usize {
        self.recipients.iter().filter(|one| one.message_id.is_some()).count()
    }
}
