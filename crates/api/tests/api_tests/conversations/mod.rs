//! Conversations over the wire, in both versions, on both databases.

mod inbox;
mod v1;
mod v3;

use std::ops::Deref;

use domain::identity::roles::Role;
use domain::messaging::channels::Channel;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{
    HistoryKind, Message, MessageDirection, MessageFailure, MessageOperator, MessageSource, MessageState,
};
use domain::{ContactId, Id, MediaId};
use serde_json::Value;
use testkit::world::Answer;
use testkit::{Engine, World};

const ADA: &str = "14155552671";
const FILE: &str = "images/cat.png";

/// A tenant with two channels, and Ada, who has a conversation over the first one.
struct Talking {
    world: World,
    sales: Channel,
    talk: Conversation,
}

impl Deref for Talking {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Talking {
    async fn new(engine: Engine) -> Self {
        Self::on(World::with_api_token(engine).await).await
    }

    /// With a database of its own, for work across tenants.
    async fn alone(engine: Engine) -> Self {
        Self::on(World::alone(engine).await.with_token(&["api"]).await).await
    }

    async fn on(world: World) -> Self {
        let world = world.with_channel("Support", "14155550100").await;
        let (sales, _) = world.add_channel(world.tenant(), "Sales", "14155550101").await;
        let ada = world.contact(ADA, "Ada Lovelace").await;
        let talk = talk(&world, world.channel(), ada.id).await;
        Self { world, sales, talk }
    }

    async fn get(&self, path: &str) -> Answer {
        self.world.get(&self.path(path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.world.post(&self.path(path), body).await
    }

    async fn put(&self, path: &str, body: &Value) -> Answer {
        self.world.put(&self.path(path), body).await
    }

    /// The path of an operation: of V1 if `path` begins with `v1/`, otherwise of V3's conversations.
    fn path(&self, path: &str) -> String {
        match path.strip_prefix("v1/") {
            Some(operation) => self.v1(operation),
            None => format!("/api/ext/v3/conversations{path}"),
        }
    }

    async fn operator(&self, email: &str) {
        self.account(self.tenant(), email, Role::Operator).await;
    }

    /// Begins a conversation with Ada over the second channel.
    async fn talk_over_sales(&self) -> Conversation {
        talk(self, &self.sales, self.talk.contact_id).await
    }

    /// Inserts one row of each kind into the history, the oldest first.
    async fn fill(&self) {
        let now = self.now().to_millis();
        let row = |seconds: i64, direction, state, kind: &str| Message {
            contact_id: Some(self.talk.contact_id),
            conversation_id: Some(self.talk.id),
            ticket_id: Some(self.talk.ticket_id),
            ..Message::bare(Id::new(now), self.channel().id, direction, state, kind, now.plus_seconds(seconds))
        };
        let operator = Some(MessageOperator {
            email: Some("grace@example.com".to_owned()),
            source: MessageSource::Api,
            is_bot: false,
        });
        let rows = [
            Message {
                text: Some("Hello".to_owned()),
                network_id: Some("wamid.1".to_owned()),
                ..row(1, MessageDirection::Inbound, MessageState::RECEIVED, "text")
            },
            Message {
                event: HistoryKind::Ticket,
                text: Some("The ticket was opened".to_owned()),
                ..row(2, MessageDirection::Outbound, MessageState::Read, "ticket")
            },
            Message {
                text: Some("A cat".to_owned()),
                media_id: Some(self.file().await),
                context_id: Some("wamid.1".to_owned()),
                local_id: Some("cat-1".to_owned()),
                operator: operator.clone(),
                ..row(3, MessageDirection::Outbound, MessageState::Queued, "image")
            },
            Message {
                event: HistoryKind::Broadcast,
                text: Some("Sale!".to_owned()),
                content: Some(
                    r#"{"type":"template","template":{"name":"spring_sale","language":{"code":"en"}}}"#.to_owned(),
                ),
                network_id: Some("wamid.2".to_owned()),
                operator,
                error: Some(MessageFailure {
                    code: Some(131_026),
                    title: Some("Message undeliverable".to_owned()),
                    message: None,
                    details: Some("The number has no account".to_owned()),
                }),
                ..row(4, MessageDirection::Outbound, MessageState::Failed, "template")
            },
        ];
        self.operator("grace@example.com").await;
        let input = (self.tenant(), rows.to_vec());
        let write = self.test.db.write(input, |tx, (tenant, rows)| {
            Box::pin(async move { store::messaging::messages::insert_many(tx, *tenant, rows).await })
        });
        assert_eq!(write.await.unwrap(), 4);
    }

    /// Inserts a message of this kind from Ada; `content` is the network's JSON of it.
    async fn received(&self, kind: &str, content: &Value) {
        self.advance(1);
        let now = self.now().to_millis();
        let message = Message {
            contact_id: Some(self.talk.contact_id),
            conversation_id: Some(self.talk.id),
            ticket_id: Some(self.talk.ticket_id),
            content: Some(content.to_string()),
            ..Message::bare(
                Id::new(now),
                self.channel().id,
                MessageDirection::Inbound,
                MessageState::RECEIVED,
                kind,
                now,
            )
        };
        let input = (self.tenant(), message);
        let write = self.test.db.write(input, |tx, (tenant, message)| {
            Box::pin(async move { store::messaging::messages::insert(tx, *tenant, message).await })
        });
        assert!(write.await.unwrap());
    }

    async fn file(&self) -> MediaId {
        static FILES: store::Statement = store::Statement::new(
            "test.file",
            "INSERT INTO media (tenant_id, id, file_name, shown_name, mime, size, complete, created_at)
             VALUES ($1, $2, $3, 'cat.png', 'image/png', 3, TRUE, 0)",
        );
        let id = Id::new(self.now());
        let write = self.test.db.write((self.tenant(), id), |tx, (tenant, id)| {
            Box::pin(async move { tx.execute(&FILES, store::params![*tenant, *id, FILE]).await })
        });
        write.await.unwrap();
        id
    }
}

pub(crate) async fn talk(world: &World, channel: &Channel, contact: ContactId) -> Conversation {
    let now = world.now();
    let mut talk = Conversation::new(channel.id, contact, now);
    talk.record_inbound(now.to_millis(), Some("Hello"), now);
    let input = (world.tenant(), talk.clone());
    let write = world.test.db.write(input, |tx, (tenant, talk)| {
        Box::pin(store::messaging::conversations::insert_many(tx, *tenant, std::slice::from_ref(talk)))
    });
    write.await.unwrap();
    world.advance(1);
    talk
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, reason: &str, parameter: &str) {
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{}", answer.text);
    assert_eq!(answer.json()["parameter"], parameter, "{}", answer.text);
}

/// Replaces ids and times, which differ from run to run.
fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, replace)
}

const VARYING: [&str; 20] = [
    "at",
    "id",
    "contact_id",
    "conversation_id",
    "conversationId",
    "ticket_id",
    "ticketId",
    "channel_id",
    "assigned_id",
    "assignedId",
    "bsuid",
    "created",
    "opened",
    "timestamp",
    "window_until",
    "snoozed_until",
    "last_updated",
    "last_message_at",
    "local_message_id",
    "localMessageId",
];

fn replace(name: &str, value: &mut Value) -> bool {
    match value {
        // The e-mail address of the account that owns the tests' tokens.
        Value::String(text) if text.starts_with("owner-") => "[owner]".clone_into(text),
        // The address of a file has the tenant in it.
        Value::String(text) if text.contains("/api/file/showFile?fileName=") => {
            *text = text.split("fileName=").last().map(|name| format!("[file address]{name}")).unwrap();
        }
        Value::String(text) if VARYING.contains(&name) && text != "cat-1" => *text = format!("[{name}]"),
        _ => return false,
    }
    true
}
