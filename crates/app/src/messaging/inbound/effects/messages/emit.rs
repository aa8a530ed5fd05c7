//! The facts that follow from a message that a person wrote.

use channels::webhook::Message;
use domain::Timestamp;
use domain::delivery::events::{EventPerson, Fact, NewContact, ReceivedMessage, TappedReply};
use domain::messaging::channels::Channel;
use domain::messaging::conversations::{Assignee, Conversation};
use domain::people::contacts::Contact;
use serde::Deserialize;
use serde_json::Value;

use crate::messaging::media::data_in_history;

/// A received message with its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewMessage<'a> {
    pub message: &'a Message,
    pub stored: &'a domain::messaging::messages::Message,
    /// None when the network did not name the person.
    pub contact: Option<&'a Contact>,
    pub conversation: Option<&'a Conversation>,
}

impl NewMessage<'_> {
    /// Builds the facts of the message. `is_new` says that the message created the contact.
    pub fn facts(&self, channel: &Channel, is_new: bool, now: Timestamp) -> Vec<Fact> {
        let parts = ContentParts::parse(&self.message.content);
        let mut facts = Vec::with_capacity(2);
        if let (Some(contact), true) = (self.contact, is_new) {
            let new_contact = NewContact {
                person: self.person(),
                contact_id: contact.id,
                sender_name: self.sender_name(),
                source_id: parts.referral.source_id.clone(),
                source_url: parts.referral.source_url.clone(),
            };
            facts.push(Fact::new_contact(now, channel, self.stored.conversation_id, &new_contact));
        }
        let contact_id = self.contact.map(|contact| contact.id);
        facts.push(Fact::received(now, channel, &self.received(parts)).about_contact(contact_id));
        facts
    }

    fn received(&self, parts: ContentParts) -> ReceivedMessage {
        let Self { message, stored, .. } = self;
        let assignee = match self.conversation.and_then(|one| one.assignee.as_ref()) {
            Some(Assignee::Operator { id, email, name }) => Some((*id, name.clone(), email.clone())),
            _ => None,
        };
        let context = message.context.clone().unwrap_or_default();
        ReceivedMessage {
            person: self.person(),
            message_id: stored.id,
            network_id: stored.network_id.clone(),
            conversation_id: stored.conversation_id,
            ticket_id: stored.ticket_id,
            kind: stored.kind.clone(),
            text: stored.text.clone(),
            data: data_in_history(stored, None),
            at: stored.at,
            sender_name: self.sender_name(),
            assigned_id: assignee.as_ref().map(|(id, ..)| *id),
            operator_name: assignee.as_ref().map(|(_, name, _)| name.clone()),
            operator_email: assignee.map(|(.., email)| email),
            contacts: parts.contacts,
            answered: TappedReply {
                list_reply: parts.interactive.list_reply,
                interactive_button_reply: parts.interactive.button_reply,
                button_reply: parts.button,
            },
            reply_context_id: stored.context_id.clone(),
            source_id: parts.referral.source_id,
            source_url: parts.referral.source_url,
            // A message that was forwarded often counts as forwarded too.
            forwarded: context.forwarded || context.frequently_forwarded,
            frequently_forwarded: context.frequently_forwarded,
        }
    }

    fn person(&self) -> EventPerson {
        let Some(contact) = self.contact else {
            return EventPerson { wa_id: self.message.from.wa_id.clone(), ..EventPerson::default() };
        };
        EventPerson {
            bsuid: Some(contact.bsuid.clone()),
            parent_bsuid: Some(contact.parent_bsuid.clone()),
            username: contact.username.clone(),
            wa_id: contact.phone.clone(),
        }
    }

    /// The contact's name, else the profile name that came with the message.
    fn sender_name(&self) -> Option<String> {
        let own = self.contact.map(|contact| &contact.name).filter(|name| !name.is_empty());
        own.or(self.message.from.name.as_ref()).cloned()
    }
}

/// The parts of the network's JSON that the events pass on.
#[derive(Debug, Default)]
struct ContentParts {
    referral: Referral,
    contacts: Option<Value>,
    interactive: Interactive,
    button: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Referral {
    source_id: Option<String>,
    source_url: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Interactive {
    list_reply: Option<Value>,
    button_reply: Option<Value>,
}

impl ContentParts {
    /// Each part is parsed by itself: one with an unexpected shape does not lose the others.
    fn parse(content: &str) -> Self {
        let all: Value = serde_json::from_str(content).unwrap_or_default();
        let part = |name: &str| all.get(name).cloned().unwrap_or_default();
        Self {
            referral: serde_json::from_value(part("referral")).unwrap_or_default(),
            contacts: Some(part("contacts")).filter(Value::is_array),
            interactive: serde_json::from_value(part("interactive")).unwrap_or_default(),
            button: Some(part("button")).filter(Value::is_object),
        }
    }
}
