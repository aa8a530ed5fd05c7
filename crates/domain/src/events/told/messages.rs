//! Messages that left, and what became of them.

use serde::Serialize;

use super::{Over, Person, place, seconds};
use crate::channels::Channel;
use crate::events::{Fact, Kind};
use crate::messages::Trouble;
use crate::{AccountId, ConversationId, MessageId, TemplateId, TicketId, Timestamp};

/// What every event about a message that left says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    #[serde(flatten)]
    pub person: Person,
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
    /// Of the account that sent it; empty when none.
    pub operator_email: String,
}

/// A free message that the network took.
#[derive(Debug, Clone)]
pub struct SessionSent {
    pub message: Reported,
    pub data: Option<String>,
    pub operator_name: Option<String>,
    pub reply_context_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionBody<'a> {
    #[serde(flatten)]
    message: &'a Reported,
    data: &'a Option<String>,
    operator_name: &'a Option<String>,
    reply_context_id: &'a Option<String>,
    timestamp: String,
    owner: bool,
    status_string: &'static str,
    #[serde(flatten)]
    over: Over,
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
    /// As the person sees it: the tracked address where clicks are tracked.
    pub url: Option<String>,
    /// Where it leads in the end.
    pub target_url: Option<String>,
    /// As the template has it, with its variables.
    pub original_url: Option<String>,
    pub phone_number: Option<String>,
}

/// A template message that the network took.
#[derive(Debug, Clone)]
pub struct TemplateSent {
    pub message: Reported,
    pub template_id: TemplateId,
    pub template_name: String,
    /// When we took it on.
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
    message: &'a Reported,
    template_id: TemplateId,
    template_name: &'a str,
    created: String,
    status_string: &'static str,
    source_type: &'static str,
    header_link: &'a Option<String>,
    header_type: &'a Option<String>,
    template_content: &'a TemplateContent,
    #[serde(flatten)]
    over: Over,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusBody<'a> {
    #[serde(flatten)]
    message: &'a Reported,
    status_string: &'static str,
    timestamp: String,
    #[serde(flatten)]
    over: Over,
}

/// A message of ours that did not arrive.
#[derive(Debug, Clone)]
pub struct Failed {
    pub message: Reported,
    pub is_template: bool,
    pub trouble: Trouble,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FailedBody<'a> {
    #[serde(flatten)]
    message: &'a Reported,
    status_string: &'static str,
    failed_code: Option<i64>,
    failed_detail: Option<&'a str>,
    timestamp: String,
}

impl Fact {
    pub fn session_sent(now: Timestamp, channel: &Channel, told: &SessionSent) -> Self {
        let message = &told.message;
        Self::new(Kind::SessionSent, now, message.place(channel), message.knows_person(), |_| SessionBody {
            message,
            data: &told.data,
            operator_name: &told.operator_name,
            reply_context_id: &told.reply_context_id,
            timestamp: seconds(now),
            owner: true,
            status_string: "SENT",
            over: Over::of(channel),
        })
    }

    pub fn template_sent(now: Timestamp, channel: &Channel, told: &TemplateSent) -> Self {
        let message = &told.message;
        Self::new(Kind::TemplateSent, now, message.place(channel), message.knows_person(), |_| TemplateBody {
            message,
            template_id: told.template_id,
            template_name: &told.template_name,
            created: told.created.to_rfc3339(),
            status_string: "SENT",
            source_type: told.source,
            header_link: &told.header_link,
            header_type: &told.header_type,
            template_content: &told.content,
            over: Over::of(channel),
        })
    }

    /// It arrived, as the network says since `at`.
    pub fn delivered(now: Timestamp, channel: &Channel, message: &Reported, at: Timestamp) -> Self {
        Self::status(Kind::Delivered, "Delivered", now, channel, message, at)
    }

    pub fn read(now: Timestamp, channel: &Channel, message: &Reported, at: Timestamp) -> Self {
        Self::status(Kind::Read, "Read", now, channel, message, at)
    }

    pub fn replied(now: Timestamp, channel: &Channel, message: &Reported, at: Timestamp) -> Self {
        Self::status(Kind::Replied, "Replied", now, channel, message, at)
    }

    fn status(
        kind: Kind,
        status_string: &'static str,
        now: Timestamp,
        channel: &Channel,
        message: &Reported,
        at: Timestamp,
    ) -> Self {
        Self::new(kind, now, message.place(channel), true, |_| StatusBody {
            message,
            status_string,
            timestamp: seconds(at),
            over: Over::of(channel),
        })
    }

    pub fn failed(now: Timestamp, channel: &Channel, told: &Failed) -> Self {
        let kind = if told.is_template { Kind::TemplateFailed } else { Kind::SessionFailed };
        let word = if told.is_template { "template" } else { "session" };
        let message = &Reported { r#type: word.to_owned(), ..told.message.clone() };
        Self::new(kind, now, message.place(channel), true, |_| FailedBody {
            message,
            status_string: "Failed",
            failed_code: told.trouble.code,
            failed_detail: told.trouble.detail(),
            timestamp: seconds(now),
        })
    }
}

impl Reported {
    pub(super) fn knows_person(&self) -> bool {
        self.person.bsuid.is_some()
    }

    pub(super) fn place(&self, channel: &Channel) -> crate::events::fact::Place {
        place(channel, self.conversation_id)
    }
}
