//! Messages that were sent, and their statuses.

use serde::Serialize;

use super::{EventPerson, ViaChannel, seconds};
use crate::delivery::events::fact::FactScope;
use crate::delivery::events::{Fact, FactKind};
use crate::messaging::channels::Channel;
use crate::messaging::messages::MessageFailure;
use crate::{AccountId, ConversationId, MessageId, TemplateId, TicketId, Timestamp};

/// The members that every event about a sent message has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SentMessage {
    #[serde(flatten)]
    pub person: EventPerson,
    #[serde(rename = "id")]
    pub message_id: MessageId,
    pub local_message_id: Option<String>,
    #[serde(rename = "whatsappMessageId")]
    pub network_id: Option<String>,
    pub conversation_id: Option<ConversationId>,
    pub ticket_id: Option<TicketId>,
    pub text: Option<String>,
    /// `template`, `text`, `image`, …
    pub r#type: String,
    pub assignee_id: Option<AccountId>,
    /// The address of the account that sent it; empty when no account did.
    pub operator_email: String,
}

/// A free message that the network accepted.
#[derive(Debug, Clone)]
pub struct SessionSent {
    pub message: SentMessage,
    pub data: Option<String>,
    pub operator_name: Option<String>,
    pub reply_context_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionBody<'a> {
    #[serde(flatten)]
    message: &'a SentMessage,
    data: &'a Option<String>,
    operator_name: &'a Option<String>,
    reply_context_id: &'a Option<String>,
    timestamp: String,
    owner: bool,
    status_string: &'static str,
    #[serde(flatten)]
    via: ViaChannel,
}

/// The parts of a template as they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateContent {
    pub header_text: Option<String>,
    pub footer_text: Option<String>,
    pub buttons: Vec<TemplateButton>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateButton {
    pub index: usize,
    pub card_index: Option<usize>,
    pub r#type: String,
    pub text: Option<String>,
    /// The URL that the person sees: the tracked one where clicks are tracked.
    pub url: Option<String>,
    /// The URL that a tracked one redirects to.
    pub target_url: Option<String>,
    /// The URL of the template, with its variables.
    pub original_url: Option<String>,
    pub phone_number: Option<String>,
}

/// A template message that the network accepted.
#[derive(Debug, Clone)]
pub struct TemplateSent {
    pub message: SentMessage,
    pub template_id: TemplateId,
    pub template_name: String,
    /// When Switchboard accepted it.
    pub created: Timestamp,
    /// `API` or `WEB`.
    pub source: &'static str,
    pub header_link: Option<String>,
    pub header_type: Option<String>,
    pub content: TemplateContent,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TemplateBody<'a> {
    #[serde(flatten)]
    message: &'a SentMessage,
    template_id: TemplateId,
    template_name: &'a str,
    created: String,
    status_string: &'static str,
    source_type: &'static str,
    header_link: &'a Option<String>,
    header_type: &'a Option<String>,
    template_content: &'a TemplateContent,
    #[serde(flatten)]
    via: ViaChannel,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusBody<'a> {
    #[serde(flatten)]
    message: &'a SentMessage,
    status_string: &'static str,
    timestamp: String,
    #[serde(flatten)]
    via: ViaChannel,
}

/// A sent message that did not arrive.
#[derive(Debug, Clone)]
pub struct FailedMessage {
    pub message: SentMessage,
    pub is_template: bool,
    pub failure: MessageFailure,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FailedBody<'a> {
    #[serde(flatten)]
    message: &'a SentMessage,
    status_string: &'static str,
    failed_code: Option<i64>,
    failed_detail: Option<&'a str>,
    timestamp: String,
}

impl Fact {
    pub fn session_sent(now: Timestamp, channel: &Channel, sent: &SessionSent) -> Self {
        let message = &sent.message;
        Self::about_person(FactKind::SessionSent, now, message.scope(channel), message.has_bsuid(), |_| SessionBody {
            message,
            data: &sent.data,
            operator_name: &sent.operator_name,
            reply_context_id: &sent.reply_context_id,
            timestamp: seconds(now),
            owner: true,
            status_string: "SENT",
            via: ViaChannel::new(channel),
        })
    }

    pub fn template_sent(now: Timestamp, channel: &Channel, sent: &TemplateSent) -> Self {
        let message = &sent.message;
        Self::about_person(FactKind::TemplateSent, now, message.scope(channel), message.has_bsuid(), |_| TemplateBody {
            message,
            template_id: sent.template_id,
            template_name: &sent.template_name,
            created: sent.created.to_rfc3339(),
            status_string: "SENT",
            source_type: sent.source,
            header_link: &sent.header_link,
            header_type: &sent.header_type,
            template_content: &sent.content,
            via: ViaChannel::new(channel),
        })
    }

    /// `at` is the time of delivery that the network reports.
    pub fn delivered(now: Timestamp, channel: &Channel, message: &SentMessage, at: Timestamp) -> Self {
        Self::status(FactKind::Delivered, "Delivered", now, channel, message, at)
    }

    pub fn read(now: Timestamp, channel: &Channel, message: &SentMessage, at: Timestamp) -> Self {
        Self::status(FactKind::Read, "Read", now, channel, message, at)
    }

    pub fn replied(now: Timestamp, channel: &Channel, message: &SentMessage, at: Timestamp) -> Self {
        Self::status(FactKind::Replied, "Replied", now, channel, message, at)
    }

    fn status(
        kind: FactKind,
        status_string: &'static str,
        now: Timestamp,
        channel: &Channel,
        message: &SentMessage,
        at: Timestamp,
    ) -> Self {
        Self::new(kind, now, message.scope(channel), |_| StatusBody {
            message,
            status_string,
            timestamp: seconds(at),
            via: ViaChannel::new(channel),
        })
    }

    pub fn failed(now: Timestamp, channel: &Channel, failed: &FailedMessage) -> Self {
        let kind = if failed.is_template { FactKind::TemplateFailed } else { FactKind::SessionFailed };
        let word = if failed.is_template { "template" } else { "session" };
        let message = &SentMessage { r#type: word.to_owned(), ..failed.message.clone() };
        Self::new(kind, now, message.scope(channel), |_| FailedBody {
            message,
            status_string: "Failed",
            failed_code: failed.failure.code,
            failed_detail: failed.failure.detail(),
            timestamp: seconds(now),
        })
    }
}

impl SentMessage {
    pub(super) fn has_bsuid(&self) -> bool {
        self.person.bsuid.is_some()
    }

    pub(super) fn scope(&self, channel: &Channel) -> FactScope {
        super::scope(channel, self.conversation_id)
    }
}
