//! Messages that people write.

use serde::Serialize;
use serde_json::Value;

use super::{EventPerson, ViaChannel, scope, seconds};
use crate::delivery::events::{Fact, FactKind};
use crate::messaging::channels::Channel;
use crate::{AccountId, ContactId, ConversationId, MessageId, TicketId, Timestamp};

/// The button or list row that the person tapped, each as the network gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TappedReply {
    /// `{id, title, description}`.
    pub list_reply: Option<Value>,
    /// `{id, title}`.
    pub interactive_button_reply: Option<Value>,
    /// `{payload, text}`.
    pub button_reply: Option<Value>,
}

/// A message that a person wrote.
#[derive(Debug, Clone)]
pub struct ReceivedMessage {
    pub person: EventPerson,
    pub message_id: MessageId,
    pub network_id: Option<String>,
    pub conversation_id: Option<ConversationId>,
    pub ticket_id: Option<TicketId>,
    pub kind: String,
    pub text: Option<String>,
    /// The name of the file as a string, or structured content, as the history shows it.
    pub data: Option<Value>,
    pub at: Timestamp,
    pub sender_name: Option<String>,
    pub assigned_id: Option<AccountId>,
    pub operator_name: Option<String>,
    pub operator_email: Option<String>,
    /// Contacts in the message, as the network gave them.
    pub contacts: Option<Value>,
    pub answered: TappedReply,
    /// The network's id of the message that this one answers.
    pub reply_context_id: Option<String>,
    /// The advertisement or post that the person came from.
    pub source_id: Option<String>,
    pub source_url: Option<String>,
    pub forwarded: bool,
    pub frequently_forwarded: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReceivedBody<'a> {
    #[serde(flatten)]
    person: &'a EventPerson,
    id: MessageId,
    created: String,
    whatsapp_message_id: &'a Option<String>,
    conversation_id: Option<ConversationId>,
    ticket_id: Option<TicketId>,
    text: &'a Option<String>,
    r#type: &'a str,
    data: &'a Option<Value>,
    source_id: &'a Option<String>,
    source_url: &'a Option<String>,
    timestamp: String,
    owner: bool,
    status_string: &'static str,
    avatar_url: Option<String>,
    assigned_id: Option<AccountId>,
    operator_name: &'a Option<String>,
    operator_email: &'a Option<String>,
    message_contact: &'a Option<Value>,
    sender_name: &'a Option<String>,
    #[serde(flatten)]
    answered: &'a TappedReply,
    reply_context_id: &'a Option<String>,
    source_type: i64,
    frequently_forwarded: bool,
    forwarded: bool,
    #[serde(flatten)]
    via: ViaChannel,
}

/// The first message of a person made a contact.
#[derive(Debug, Clone)]
pub struct NewContact {
    pub person: EventPerson,
    pub contact_id: ContactId,
    pub sender_name: Option<String>,
    pub source_id: Option<String>,
    pub source_url: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewContactBody<'a> {
    #[serde(flatten)]
    person: &'a EventPerson,
    id: ContactId,
    created: String,
    sender_name: &'a Option<String>,
    source_id: &'a Option<String>,
    source_url: &'a Option<String>,
    source_type: i64,
}

/// The value of `sourceType` for everything that came over the network.
const FROM_NETWORK: i64 = 0;

impl Fact {
    pub fn received(now: Timestamp, channel: &Channel, received: &ReceivedMessage) -> Self {
        let has_bsuid = received.person.bsuid.is_some();
        Self::about_person(FactKind::Received, now, scope(channel, received.conversation_id), has_bsuid, |_| {
            ReceivedBody {
                person: &received.person,
                id: received.message_id,
                created: received.at.to_rfc3339(),
                whatsapp_message_id: &received.network_id,
                conversation_id: received.conversation_id,
                ticket_id: received.ticket_id,
                text: &received.text,
                r#type: &received.kind,
                data: &received.data,
                source_id: &received.source_id,
                source_url: &received.source_url,
                timestamp: seconds(received.at),
                owner: false,
                status_string: "SENT",
                avatar_url: None,
                assigned_id: received.assigned_id,
                operator_name: &received.operator_name,
                operator_email: &received.operator_email,
                message_contact: &received.contacts,
                sender_name: &received.sender_name,
                answered: &received.answered,
                reply_context_id: &received.reply_context_id,
                source_type: FROM_NETWORK,
                frequently_forwarded: received.frequently_forwarded,
                forwarded: received.forwarded,
                via: ViaChannel::new(channel),
            }
        })
    }

    pub fn new_contact(
        now: Timestamp,
        channel: &Channel,
        conversation: Option<ConversationId>,
        new: &NewContact,
    ) -> Self {
        let has_bsuid = new.person.bsuid.is_some();
        let scope = scope(channel, conversation);
        let fact = Self::about_person(FactKind::NewContact, now, scope, has_bsuid, |_| NewContactBody {
            person: &new.person,
            id: new.contact_id,
            created: now.to_rfc3339(),
            sender_name: &new.sender_name,
            source_id: &new.source_id,
            source_url: &new.source_url,
            source_type: FROM_NETWORK,
        });
        fact.about_contact(Some(new.contact_id))
    }
}
