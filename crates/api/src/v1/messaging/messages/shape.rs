//! The wire shape of a message in V1. Ticket and broadcast rows repeat their text in other members, where clients
//! expect it.

use app::inbox::conversations::HistoryEntry;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{HistoryKind, Message, MessageDirection, MessageState};
use domain::{AccountId, ConversationId, MessageId, TicketId};
use serde_json::Value;

use crate::prelude::*;
use crate::shared::messaging::conversations::{assigned_id, failed_detail, is_owner};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MessageV1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageShape {
    id: MessageId,
    /// The network's message id; null until the network accepts the message.
    #[schema(example = "wamid.HBgLMTQxNTU1NTI2NzEVAgASGCA")]
    whatsapp_message_id: Option<String>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    conversation_id: Option<ConversationId>,
    ticket_id: Option<TicketId>,
    /// `message`, `ticket` or `broadcastMessage`.
    #[schema(example = "message")]
    event_type: &'static str,
    #[schema(example = "Hello!")]
    text: Option<String>,
    /// The text of a broadcast.
    final_text: Option<String>,
    /// What happened to the ticket.
    event_description: Option<String>,
    template_name: Option<String>,
    #[schema(example = "text")]
    r#type: String,
    /// The address of the message's file. For a received message that is neither a text nor a file, its structured
    /// content: `{latitude, longitude, name, address}` for a location, `{emoji, messageId}` for a reaction,
    /// `{catalogId, text, productItems}` for a cart, `{name, body, responseJson}` for a Flow response, the cards for
    /// contact cards, and the network's JSON for other kinds.
    data: Option<Value>,
    /// Seconds since 1970-01-01 UTC.
    #[schema(example = "1776000000")]
    timestamp: String,
    /// Whether the business wrote the message.
    owner: bool,
    /// `SENT` for received messages; otherwise `SENDING`, `SENT`, `DELIVERED`, `READ`, `REPLIED`, `FAILED`, `EXPIRED`,
    /// `STOPPED` or `UNKNOWN`.
    #[schema(example = "DELIVERED")]
    status_string: &'static str,
    avatar_url: Option<String>,
    assigned_id: Option<AccountId>,
    operator_name: Option<String>,
    operator_email: Option<String>,
    local_message_id: Option<String>,
    /// The network's id for the message that this one replies to.
    reply_context_id: Option<String>,
    failed_detail: Option<String>,
    reply_source_message: Option<Value>,
    /// The ad or post that a received message came from, as the network describes it.
    message_referral: Option<Value>,
    /// Contact cards of a received message, as in `data`.
    contacts: Option<Value>,
    message_products: Option<Value>,
    /// The products of a received cart, as in `data`.
    order_products: Option<Value>,
    interactive_data: Option<Value>,
    order_details_view_model: Option<Value>,
}

/// Parts of a received message that V1 shows again beside `data`.
#[derive(Debug, Default)]
struct ReceivedParts {
    referral: Option<Value>,
}

impl ReceivedParts {
    fn from_message(message: &Message) -> Self {
        if message.direction != MessageDirection::Inbound {
            return Self::default();
        }
        let content: Value =
            message.content.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        Self { referral: content.get("referral").filter(|part| part.is_object()).cloned() }
    }
}

impl MessageShape {
    pub fn new(entry: &HistoryEntry, conversation: Option<&Conversation>) -> Self {
        let message = &entry.message;
        let text = |event: HistoryKind| message.text.clone().filter(|_| message.event == event);
        let is_received = message.direction == MessageDirection::Inbound;
        let parts = ReceivedParts::from_message(message);
        let is_sent = is_owner(message) && !matches!(message.event, HistoryKind::Ticket | HistoryKind::Note);
        Self {
            id: message.id,
            whatsapp_message_id: message.network_id.clone(),
            created: message.at,
            conversation_id: message.conversation_id,
            ticket_id: message.ticket_id,
            event_type: event_type(message.event),
            text: message.text.clone(),
            final_text: text(HistoryKind::Broadcast),
            event_description: text(HistoryKind::Ticket),
            template_name: template_name(message),
            r#type: message.kind.clone(),
            data: entry.data.clone(),
            timestamp: message.at.seconds().to_string(),
            owner: is_owner(message),
            status_string: if is_received { "SENT" } else { status_string(message.state) },
            avatar_url: None,
            assigned_id: assigned_id(conversation),
            operator_name: entry.operator_name.clone(),
            operator_email: entry.message.operator.as_ref().and_then(|operator| operator.email.clone()),
            local_message_id: is_sent.then(|| message.local_id()),
            reply_context_id: message.context_id.clone(),
            failed_detail: failed_detail(message),
            reply_source_message: None,
            message_referral: parts.referral,
            contacts: entry.data.clone().filter(|_| is_received && message.kind == "contacts"),
            message_products: None,
            order_products: entry.data.as_ref().and_then(|data| data.get("productItems")).cloned(),
            interactive_data: None,
            order_details_view_model: None,
        }
    }
}

const fn event_type(event: HistoryKind) -> &'static str {
    match event {
        HistoryKind::Message => "message",
        HistoryKind::Ticket => "ticket",
        HistoryKind::Broadcast => "broadcastMessage",
        HistoryKind::Note => "note",
    }
}

const fn status_string(state: MessageState) -> &'static str {
    match state {
        MessageState::Accepted | MessageState::Queued | MessageState::Submitted => "SENDING",
        MessageState::Unknown => "UNKNOWN",
        MessageState::Sent => "SENT",
        MessageState::Stopped => "STOPPED",
        MessageState::Expired => "EXPIRED",
        MessageState::Failed => "FAILED",
        MessageState::Delivered => "DELIVERED",
        MessageState::Read => "READ",
        MessageState::Replied => "REPLIED",
    }
}

/// The part of a template message's content that holds the template's name.
#[derive(Debug, Deserialize)]
struct TemplateContent {
    template: TemplateName,
}

#[derive(Debug, Deserialize)]
struct TemplateName {
    name: String,
}

fn template_name(message: &Message) -> Option<String> {
    if message.kind != "template" {
        return None;
    }
    let content: TemplateContent = serde_json::from_str(message.content.as_deref()?).ok()?;
    Some(content.template.name)
}
