//! Messages of people.

use serde::Serialize;
use serde_json::Value;

use super::{Over, Person, place, seconds};
use crate::channels::Channel;
use crate::events::{Fact, Kind};
use crate::{AccountId, ContactId, ConversationId, MessageId, TicketId, Timestamp};

/// What a person's message answers: the button or row that was tapped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// `{id, title, description}`.
    pub list_reply: Option<Value>,
    /// `{id, title}`.
    pub interactive_button_reply: Option<Value>,
    /// `{payload, text}`.
    pub button_reply: Option<Value>,
}

/// A person wrote.
#[derive(Debug, Clone)]
pub struct Received {
    pub person: Person,
    pub message_id: MessageId,
    pub network_id: Option<String>,
    pub conversation_id: Option<ConversationId>,
    pub ticket_id: Option<TicketId>,
    pub kind: String,
    pub text: Option<String>,
    /// The name of a file, or what else the history shows as the message's data.
    pub data: Option<String>,
    pub at: Timestamp,
    pub sender_name: Option<String>,
    pub assigned_id: Option<AccountId>,
    pub operator_name: Option<String>,
    pub operator_email: Option<String>,
    /// Contacts that were sent along, as the network gave them.
    pub contacts: Option<Value>,
    pub answered: Answered,
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
    person: &'a Person,
    id: MessageId,
    created: String,
    whatsapp_message_id: &'a Option<String>,
    conversation_id: Option<ConversationId>,
    ticket_id: Option<TicketId>,
    text: &'a Option<String>,
    r#type: &'a str,
    data: &'a Option<String>,
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
    answered: &'a Answered,
    reply_context_id: &'a Option<String>,
    source_type: i64,
    frequently_forwarded: bool,
    forwarded: bool,
    #[serde(flatten)]
    over: Over,
}

/// A person who was not known wrote for the first time.
#[derive(Debug, Clone)]
pub struct NewContact {
    pub person: Person,
    pub contact_id: ContactId,
    pub sender_name: Option<String>,
    pub source_id: Option<String>,
    pub source_url: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewContactBody<'a> {
    #[serde(flatten)]
    person: &'a Person,
    id: ContactId,
    created: String,
    sender_name: &'a Option<String>,
    source_id: &'a Option<String>,
    source_url: &'a Option<String>,
    source_type: i64,
}

/// What the wire calls the source of something that came over the network.
const FROM_NETWORK: i64 = 0;

impl Fact {
    pub fn received(now: Timestamp, channel: &Channel, told: &Received) -> Self {
        let knows = told.person.bsuid.is_some();
        Self::new(Kind::Received, now, place(channel, told.conversation_id), knows, |_| ReceivedBody {
            person: &told.person,
            id: told.message_id,
            created: told.at.to_rfc3339(),
            whatsapp_message_id: &told.network_id,
            conversation_id: told.conversation_id,
            ticket_id: told.ticket_id,
            text: &told.text,
            r#type: &told.kind,
            data: &told.data,
            source_id: &told.source_id,
            source_url: &told.source_url,
            timestamp: seconds(told.at),
            owner: false,
            status_string: "SENT",
            avatar_url: None,
            assigned_id: told.assigned_id,
            operator_name: &told.operator_name,
            operator_email: &told.operator_email,
            message_contact: &told.contacts,
            sender_name: &told.sender_name,
            answered: &told.answered,
            reply_context_id: &told.reply_context_id,
            source_type: FROM_NETWORK,
            frequently_forwarded: told.frequently_forwarded,
            forwarded: told.forwarded,
            over: Over::of(channel),
        })
    }

    pub fn new_contact(
        now: Timestamp,
        channel: &Channel,
        conversation: Option<ConversationId>,
        told: &NewContact,
    ) -> Self {
        let knows = told.person.bsuid.is_some();
        Self::new(Kind::NewContact, now, place(channel, conversation), knows, |_| NewContactBody {
            person: &told.person,
            id: told.contact_id,
            created: now.to_rfc3339(),
            sender_name: &told.sender_name,
            source_id: &told.source_id,
            source_url: &told.source_url,
            source_type: FROM_NETWORK,
        })
    }
}
