//! The wire shapes of messages and their files in V3.

use app::inbox::conversations::HistoryEntry;
use app::messaging::media::{FileState, FileView};
use domain::inbox::notes::{Mention, NoteContent};
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{HistoryKind, Message};
use domain::messaging::templates::Template;
use domain::messaging::ticket_change::TicketChange;
use domain::people::contacts::CustomParam;
use domain::{AccountId, ConversationId, MessageId, TemplateId, TicketId};
use serde_json::Value;

use super::ticket_change::TicketChangeShape;
use crate::prelude::*;
use crate::shared::messaging::conversations::{assigned_id, failed_code, failed_detail, is_owner};
use crate::v3::messaging::templates::parts::{self, ButtonShape, CardShape, HeaderShape, OfferShape};

/// An entry in a conversation's history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Message)]
pub(crate) struct MessageShape {
    id: MessageId,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    conversation_id: Option<ConversationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    ticket_id: Option<TicketId>,
    /// `message`, `ticket` (a change to the conversation), `broadcast` (a template) or `note` (visible only to the
    /// team).
    #[schema(example = "message")]
    event_type: &'static str,
    /// The message text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Hello!", nullable = false)]
    text: Option<String>,
    /// The network's message type: `text`, `image`, `template`, …; `ticket` for tickets.
    #[schema(example = "text")]
    r#type: String,
    /// The time of the message, in seconds since 1970-01-01 UTC.
    #[schema(example = "1776000000")]
    timestamp: String,
    /// Whether the business wrote the message.
    owner: bool,
    /// `accepted`, `queued`, `submitted`, `unknown`, `sent`, `stopped`, `expired`, `failed`, `delivered`, `read` or
    /// `replied`.
    #[schema(example = "delivered")]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    avatar_url: Option<String>,
    /// The operator the conversation is assigned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    assigned_id: Option<AccountId>,
    /// The operator who sent the message or made the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Grace", nullable = false)]
    operator_name: Option<String>,
    /// For failed messages: the network's error code, or its equivalent if Switchboard refused the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "131026", nullable = false)]
    failed_code: Option<String>,
    /// Why the message did not arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    failed_detail: Option<String>,
    /// `bot` if a bot sent the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    bot_type: Option<&'static str>,
    /// Your id for the message, or a generated one. Absent for received messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "16bf77ae-79e8-8b0d-8b0d-691eb4b00001", nullable = false)]
    local_message_id: Option<String>,
    /// The network's id for the message. Absent until the network accepts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "wamid.HBgLMTQxNTU1NTI2NzEVAgASGCA", nullable = false)]
    whatsapp_message_id: Option<String>,
    /// The network's id for the message that this one replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "wamid.HBgLMTQxNTU1NTI2NzEVAgASGCA", nullable = false)]
    reply_context_id: Option<String>,
    /// The address of the message's file. For a received message that is neither a text nor a file, its structured
    /// content: `{latitude, longitude, name, address}` for a location, `{emoji, messageId}` for a reaction (also if you
    /// sent it; `messageId` is the network's id for the message it is about), `{catalogId, text, productItems}` for a
    /// cart, `{name, body, responseJson}` for a Flow response, the cards for contact cards, and the network's JSON for
    /// other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    data: Option<Value>,
    /// The message's file. Absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    file: Option<MessageFile>,
    /// The template that the message was made from. Absent if it was not made from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    template: Option<MessageTemplate>,
    /// Operators the note is meant for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    mentions: Vec<MentionShape>,
    /// What changed, if `event_type` is `ticket`. `text` says the same in English. Absent if the change is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    ticket_change: Option<TicketChangeShape>,
}

/// The parts of a message's template, as the template has them now, and the values that the message filled in. The
/// `text` of the message is the text that was sent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MessageTemplate {
    id: TemplateId,
    #[schema(example = "order_update")]
    name: String,
    #[schema(example = "en_US")]
    language: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    header: Option<HeaderShape>,
    #[schema(example = "Hi {{name}}, your order {{order_id}} is on its way.")]
    body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Reply STOP to opt out", nullable = false)]
    footer: Option<String>,
    /// Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    buttons: Vec<ButtonShape>,
    /// Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    carousel_cards: Vec<CardShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    limited_time_offer: Option<OfferShape>,
    /// The message's values for the template's variables.
    custom_params: Vec<CustomParam>,
}

impl MessageTemplate {
    fn new(template: &Template, message: &Message) -> Self {
        let content = &template.content;
        Self {
            id: template.id,
            name: template.name.clone(),
            language: template.language.clone(),
            header: content.header.as_ref().map(HeaderShape::from),
            body: content.body.clone(),
            footer: content.footer.clone(),
            buttons: parts::buttons(content, &content.buttons),
            carousel_cards: parts::cards(content),
            limited_time_offer: content.offer.as_ref().map(OfferShape::from),
            custom_params: message.params.clone().map(|params| params.0).unwrap_or_default(),
        }
    }
}

/// A message's file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MessageFile {
    /// `stored`: Switchboard has the file. `pending`: it is being fetched from the network. `failed`: it is not stored;
    /// `reason` says why. `remote`: the network has it, and Switchboard fetches it when it is read or on request.
    #[schema(example = "stored")]
    status: &'static str,
    /// The name that people see.
    #[schema(example = "receipt.pdf")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "application/pdf", nullable = false)]
    mime_type: Option<String>,
    /// Size in bytes. Absent unless the file is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 52_431, nullable = false)]
    size: Option<u64>,
    /// Why the file is not stored: `gone` (the network no longer has it), `refused` or `unavailable` (by the network),
    /// `altered` (not the bytes that the network announced), `too_large`, `quota_full`, `channel_removed` or `expired`
    /// (it was stored, but its retention period has ended).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "gone", nullable = false)]
    reason: Option<&'static str>,
    /// The reason in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
    /// When the next attempt to fetch the file is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-24T10:00:02.000Z", nullable = false)]
    next_attempt: Option<String>,
}

impl From<FileView> for MessageFile {
    fn from(file: FileView) -> Self {
        let status = match file.state {
            FileState::Stored => "stored",
            FileState::Pending => "pending",
            FileState::Failed => "failed",
            FileState::Remote => "remote",
        };
        Self {
            status,
            name: file.name,
            mime_type: file.mime,
            size: file.size,
            reason: file.failure.map(domain::messaging::messages::FetchFailure::name),
            detail: file.detail,
            next_attempt: file.next_attempt.map(Timestamp::to_rfc3339),
        }
    }
}

/// An operator the note is meant for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Mention)]
pub(crate) struct MentionShape {
    id: AccountId,
    #[schema(example = "ben@example.com")]
    email: String,
    #[schema(example = "Ben")]
    name: String,
}

fn mentions(message: &Message) -> Vec<MentionShape> {
    if message.event != HistoryKind::Note {
        return Vec::new();
    }
    let content = message.content.as_deref().map(NoteContent::from_json).unwrap_or_default();
    let shape = |Mention { id, email, name }| MentionShape { id, email, name };
    content.mentions.into_iter().map(shape).collect()
}

fn ticket_change(message: &Message) -> Option<TicketChangeShape> {
    if message.event != HistoryKind::Ticket {
        return None;
    }
    message.content.as_deref().and_then(TicketChange::from_json).map(TicketChangeShape::from)
}

impl MessageShape {
    pub fn new(entry: &HistoryEntry, conversation: Option<&Conversation>) -> Self {
        let message = &entry.message;
        let is_bot = entry.message.operator.as_ref().is_some_and(|operator| operator.is_bot);
        let is_sent = is_owner(message) && !matches!(message.event, HistoryKind::Ticket | HistoryKind::Note);
        Self {
            id: message.id,
            created: message.at,
            conversation_id: message.conversation_id,
            ticket_id: message.ticket_id,
            event_type: message.event.name(),
            text: message.text.clone(),
            r#type: message.kind.clone(),
            timestamp: message.at.seconds().to_string(),
            owner: is_owner(message),
            status: message.state.name(),
            avatar_url: None,
            assigned_id: assigned_id(conversation),
            operator_name: entry.operator_name.clone(),
            failed_code: failed_code(message),
            failed_detail: failed_detail(message),
            bot_type: is_bot.then_some("bot"),
            local_message_id: is_sent.then(|| message.local_id()),
            whatsapp_message_id: message.network_id.clone(),
            reply_context_id: message.context_id.clone(),
            data: entry.data.clone(),
            file: entry.file.clone().map(MessageFile::from),
            template: entry.template.as_ref().map(|template| MessageTemplate::new(template, message)),
            mentions: mentions(message),
            ticket_change: ticket_change(message),
        }
    }
}
