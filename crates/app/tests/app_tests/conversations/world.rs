//! A tenant with channels, contacts and conversations.

use app::accounts::NewAccount;
use app::channels::Secrets;
use app::contacts::NewContact;
use app::conversations::{HistoryEntry, PageRequest};
use app::{App, Command, Config};
use domain::channels::{Channel, NewChannel};
use domain::contacts::Contact;
use domain::conversations::{Conversation, ConversationStatus};
use domain::keys::{Keyring, SecretKey};
use domain::messages::{Message, MessageDirection, MessageState};
use domain::roles::Role;
use domain::scopes::Hierarchy;
use domain::{AccountId, Id, MessageId, Timestamp};
use store::outbox::NewOutboxEntry;
use testkit::database::TestDb;
use zeroize::Zeroizing;

pub const ADA: &str = "14155552671";
pub const BOB: &str = "4915123456789";

#[derive(Debug)]
pub struct World {
    pub test: TestDb,
    pub app: App,
}

impl World {
    pub fn new(test: TestDb) -> Self {
        let config = Config {
            plans: testkit::application::plans(),
            hierarchy: Hierarchy::default(),
            issuers: Vec::new(),
            failed_attempts_per_minute: 1000,
            log_in: app::LogInConfig::default(),
            networks: testkit::application::networks(),
            pacing: domain::pacing::Limits::default(),
            webhooks: testkit::application::webhooks(),
            media: app::media::MediaPolicy::default(),
            quotas: domain::quotas::Quotas::default(),
            retention: domain::retention::Retention::default(),
        };
        let keyring = Keyring::new(SecretKey::random(), None);
        let app = App::new(test.db.clone(), test.clock.clone(), &keyring, config).unwrap();
        Self { test, app }
    }

    pub fn me(&self) -> Command {
        Command(self.test.tenant)
    }

    pub fn tick(&self) {
        self.test.clock.advance(std::time::Duration::from_millis(700));
    }

    pub async fn channel(&self, name: &str, number: &str) -> Channel {
        self.tick();
        let new = NewChannel {
            name: name.to_owned(),
            phone_number: number.to_owned(),
            phone_number_id: "106540352242922".to_owned(),
            account_id: "102290129340398".to_owned(),
            network: "whatsapp".to_owned(),
        };
        let secret = || Zeroizing::new("a-secret-of-the-test".to_owned());
        let secrets = Secrets { access_token: secret(), app_secret: secret(), verify_token: secret() };
        self.app.channels().add(&Command(self.test.tenant), new, &secrets).await.unwrap()
    }

    pub async fn contact(&self, number: &str, name: &str) -> Contact {
        self.tick();
        let new = NewContact {
            target: number.to_owned(),
            member: "target",
            name: name.to_owned(),
            custom_params: Vec::new(),
            source: None,
            own_in_params: false,
        };
        self.app.contacts().add(&self.me(), new).await.unwrap()
    }

    pub async fn operator(&self, email: &str) -> AccountId {
        let new = NewAccount { email: email.to_owned(), name: None, role: Role::Operator, password: None };
        self.app.accounts().create(&Command(self.test.tenant), new).await.unwrap().id
    }

    /// A contact writes over a channel: stores the message and updates the conversation.
    pub async fn said(&self, channel: &Channel, contact: &Contact, text: &str) -> Conversation {
        self.tick();
        let now = self.app.now().to_millis();
        let mut conversation = match self.between(channel, contact).await {
            Some(known) => known,
            None => Conversation::new(channel.id, contact.id, now),
        };
        let is_new = conversation.last_text.is_none();
        conversation.record_inbound(now, Some(text), now);
        let message = Message {
            text: Some(text.to_owned()),
            content: Some(format!(r#"{{"type":"text","text":{{"body":"{text}"}}}}"#)),
            ..Self::message(&conversation, MessageDirection::Inbound, MessageState::RECEIVED, now)
        };
        let input = (self.test.tenant, conversation.clone(), message, is_new);
        let write = self.test.db.write(input, |tx, (tenant, conversation, message, is_new)| {
            Box::pin(async move {
                if *is_new {
                    store::conversations::insert_many(tx, *tenant, std::slice::from_ref(conversation)).await?;
                } else {
                    store::conversations::update(tx, *tenant, conversation).await?;
                }
                store::messages::insert(tx, *tenant, message).await
            })
        });
        assert!(write.await.unwrap());
        conversation
    }

    pub fn message(of: &Conversation, direction: MessageDirection, state: MessageState, at: Timestamp) -> Message {
        Message {
            contact_id: Some(of.contact_id),
            conversation_id: Some(of.id),
            ticket_id: Some(of.ticket_id),
            ..Message::bare(Id::new(at), of.channel_id, direction, state, "text", at)
        }
    }

    /// Stores a message with its outbox row.
    pub async fn waits(&self, message: Message) -> MessageId {
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
        let write = self.test.db.write((self.test.tenant, message, waiting), |tx, (tenant, message, waiting)| {
            Box::pin(async move {
                store::messages::insert(tx, *tenant, message).await?;
                store::outbox::insert_many(tx, *tenant, std::slice::from_ref(waiting)).await
            })
        });
        write.await.unwrap();
        id
    }

    pub async fn between(&self, channel: &Channel, contact: &Contact) -> Option<Conversation> {
        let all = store::conversations::of_contact(&self.test.db, self.test.tenant, contact.id).await.unwrap();
        all.into_iter().find(|one| one.channel_id == channel.id)
    }

    pub async fn status(&self, target: &str, status: ConversationStatus) -> Conversation {
        self.tick();
        self.app.conversations().set_status(&self.me(), target, "target", status).await.unwrap()
    }

    pub async fn history(&self, target: &str) -> Vec<HistoryEntry> {
        let page = PageRequest::new(1, 100, "page").unwrap();
        self.app.conversations().history(&self.me(), target, "target", page, false).await.unwrap().entries
    }

    pub async fn texts(&self, target: &str) -> Vec<String> {
        let entries = self.history(target).await;
        entries.into_iter().map(|entry| entry.message.text.unwrap_or_default()).collect()
    }

    pub async fn row(&self, id: MessageId) -> Message {
        store::messages::find(&self.test.db, self.test.tenant, id).await.unwrap().unwrap()
    }
}
