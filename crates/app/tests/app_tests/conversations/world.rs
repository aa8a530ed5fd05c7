//! A tenant with channels, contacts and conversations.

use app::inbox::conversations::{HistoryEntry, PageRequest};
use domain::identity::roles::Role;
use domain::messaging::channels::Channel;
use domain::messaging::conversations::{Conversation, ConversationStatus};
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use domain::people::contacts::Contact;
use domain::{AccountId, Id, MessageId, Timestamp};
use store::messaging::outbox::NewOutboxEntry;
use testkit::World;
use testkit::world::OnWorld;

pub const ADA: &str = "14155552671";
pub const BOB: &str = "4915123456789";

pub trait Talks: OnWorld {
    fn tick(self) {
        self.test.clock.advance(std::time::Duration::from_millis(700));
    }

    async fn open_channel(self, name: &str, number: &str) -> Channel {
        self.tick();
        self.add_channel(self.tenant(), name, number).await.0
    }

    async fn person(self, number: &str, name: &str) -> Contact {
        self.tick();
        self.contact(number, name).await
    }

    async fn operator(self, email: &str) -> AccountId {
        self.account(self.tenant(), email, Role::Operator).await
    }

    /// A contact writes over a channel: stores the message and updates the conversation.
    async fn said(self, channel: &Channel, contact: &Contact, text: &str) -> Conversation {
        self.tick();
        let now = self.now().to_millis();
        let mut conversation = match self.between(channel, contact).await {
            Some(known) => known,
            None => Conversation::new(channel.id, contact.id, now),
        };
        let is_new = conversation.last_text.is_none();
        conversation.record_inbound(now, Some(text), now);
        let message = Message {
            text: Some(text.to_owned()),
            content: Some(format!(r#"{{"type":"text","text":{{"body":"{text}"}}}}"#)),
            ..message(&conversation, MessageDirection::Inbound, MessageState::RECEIVED, now)
        };
        let input = (self.tenant(), conversation.clone(), message, is_new);
        let write = self.test.db.write(input, |tx, (tenant, conversation, message, is_new)| {
            Box::pin(async move {
                if *is_new {
                    store::messaging::conversations::insert_many(tx, *tenant, std::slice::from_ref(conversation))
                        .await?;
                } else {
                    store::messaging::conversations::update(tx, *tenant, conversation).await?;
                }
                store::messaging::messages::insert(tx, *tenant, message).await
            })
        });
        assert!(write.await.unwrap());
        conversation
    }

    /// Stores a message with its outbox row.
    async fn waits(self, message: Message) -> MessageId {
        let waiting = NewOutboxEntry {
            channel_id: message.channel_id,
            priority: 1,
            due_at: message.at,
            id: message.id,
            contact_id: message.contact_id.unwrap(),
            recipient: ADA.to_owned(),
            template_id: None,
            expires_at: message.at.plus_seconds(3600),
        };
        let id = message.id;
        let write = self.test.db.write((self.tenant(), message, waiting), |tx, (tenant, message, waiting)| {
            Box::pin(async move {
                store::messaging::messages::insert(tx, *tenant, message).await?;
                store::messaging::outbox::insert_many(tx, *tenant, std::slice::from_ref(waiting)).await
            })
        });
        write.await.unwrap();
        id
    }

    async fn between(self, channel: &Channel, contact: &Contact) -> Option<Conversation> {
        let all = store::messaging::conversations::of_contact(&self.test.db, self.tenant(), contact.id).await.unwrap();
        all.into_iter().find(|one| one.channel_id == channel.id)
    }

    async fn status(self, target: &str, status: ConversationStatus) -> Conversation {
        self.tick();
        self.app.inbox().conversations().set_status(&self.me(), target.into(), status).await.unwrap()
    }

    async fn history(self, target: &str) -> Vec<HistoryEntry> {
        let page = PageRequest::new(1, 100).unwrap();
        self.app.inbox().conversations().history(&self.me(), target.into(), page, false).await.unwrap().entries
    }

    async fn texts(self, target: &str) -> Vec<String> {
        let entries = self.history(target).await;
        entries.into_iter().map(|entry| entry.message.text.unwrap_or_default()).collect()
    }
}

impl Talks for &World {}

pub fn message(of: &Conversation, direction: MessageDirection, state: MessageState, at: Timestamp) -> Message {
    Message {
        contact_id: Some(of.contact_id),
        conversation_id: Some(of.id),
        ticket_id: Some(of.ticket_id),
        ..Message::bare(Id::new(at), of.channel_id, direction, state, "text", at)
    }
}
