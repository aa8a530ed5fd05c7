//! Broadcasts and chatbots over the wire, on both databases.

mod chatbots;
mod v3;

use app::Command;
use app::contacts::NewContact;
use domain::broadcasts::Broadcast;
use domain::channels::Channel;
use domain::contacts::CustomParam;
use domain::messages::{
    HistoryKind, Message, MessageDirection, MessageFailure, MessageOperator, MessageSource, MessageState,
    TemplateParams,
};
use domain::{ContactId, Id, Timestamp};
use serde_json::{Value, json};
use store::broadcasts::RefusedRecipient;
use store::outbox::NewOutboxEntry;
use testkit::application::TestApp;
use testkit::database::TestDb;

const BROADCASTS: &str = "/api/ext/v3/broadcasts";
/// 2026-04-24T10:00:00Z
const MADE: Timestamp = Timestamp::from_seconds(1_777_024_800);

/// A tenant with a channel, the contact Ada, and a broadcast: one message to Ada in each of some states, and two
/// refused recipients.
struct World {
    app: TestApp,
    token: String,
    channel: Channel,
    broadcast: Broadcast,
}

impl World {
    async fn new(test: TestDb) -> Self {
        Self::with(test, &[MessageState::Queued, MessageState::Delivered, MessageState::Failed], None).await
    }

    async fn with(test: TestDb, states: &[MessageState], scheduled_at: Option<Timestamp>) -> Self {
        let app = TestApp::new(test);
        let (channel, _) = app.channel(app.tenant(), "Support", "14155550100").await;
        let token = app.token(app.tenant(), &["campaignsv3:write"]).await;
        let new = NewContact {
            target: "14155552671".to_owned(),
            member: "target",
            name: "Ada Lovelace".to_owned(),
            custom_params: Vec::new(),
            source: None,
            own_in_params: false,
        };
        let ada = app.app.contacts().add(&Command(app.tenant()), new).await.unwrap();
        let broadcast = broadcast(&channel, scheduled_at);
        let messages: Vec<_> = states.iter().map(|state| message(&broadcast, ada.id, *state)).collect();
        let world = Self { app, token, channel, broadcast };
        world.store(&messages).await;
        world
    }

    async fn store(&self, messages: &[Message]) {
        let waiting = |one: &&Message| matches!(one.state, MessageState::Accepted | MessageState::Queued);
        let waiting: Vec<_> = messages.iter().filter(waiting).map(waits).collect();
        let refused = vec![refused(1, "11111111111", Some("order-2")), refused(4, "nobody", None)];
        let input = (self.app.tenant(), self.broadcast.clone(), messages.to_vec(), waiting, refused);
        let write = self.app.test.db.write(input, |tx, (tenant, broadcast, messages, waiting, refused)| {
            Box::pin(async move {
                store::broadcasts::insert(tx, *tenant, broadcast, refused).await?;
                store::messages::insert_many(tx, *tenant, messages).await?;
                store::outbox::insert_many(tx, *tenant, waiting).await
            })
        });
        write.await.unwrap();
    }

    fn path(&self, rest: &str) -> String {
        format!("{BROADCASTS}/{}{rest}", self.broadcast.id)
    }

    async fn get(&self, rest: &str) -> Value {
        let answer = self.app.get(&self.path(rest), &self.token).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }
}

fn broadcast(channel: &Channel, scheduled_at: Option<Timestamp>) -> Broadcast {
    Broadcast {
        id: Id::new(MADE),
        channel_id: channel.id,
        name: "Spring sale".to_owned(),
        template_id: Id::new(MADE),
        template_name: "spring_offer".to_owned(),
        operator: Some(MessageOperator {
            email: Some("grace@example.com".to_owned()),
            source: MessageSource::Api,
            is_bot: false,
        }),
        source: "API".to_owned(),
        refused: 2,
        scheduled_at,
        stopped_at: None,
        created_at: MADE,
    }
}

fn message(of: &Broadcast, contact: ContactId, state: MessageState) -> Message {
    let error = MessageFailure {
        code: Some(131_026),
        title: Some("Undeliverable".to_owned()),
        message: Some("Message undeliverable".to_owned()),
        details: None,
    };
    Message {
        contact_id: Some(contact),
        event: HistoryKind::Broadcast,
        broadcast_id: Some(of.id),
        params: TemplateParams::of(&[CustomParam { name: "1".to_owned(), value: "Ada".to_owned() }]),
        local_id: Some("order-1".to_owned()),
        error: (state == MessageState::Failed).then_some(error),
        ..Message::bare(Id::new(MADE), of.channel_id, MessageDirection::Outbound, state, "template", MADE)
    }
}

fn waits(message: &Message) -> NewOutboxEntry {
    NewOutboxEntry {
        channel_id: message.channel_id,
        priority: 3,
        due_at: MADE,
        id: message.id,
        contact_id: Id::new(MADE),
        recipient: "14155552671".to_owned(),
        template_id: None,
        expires_at: MADE.plus_seconds(3600),
    }
}

fn refused(place: i64, target: &str, local_id: Option<&str>) -> RefusedRecipient {
    RefusedRecipient {
        place,
        target: target.to_owned(),
        contact_id: None,
        local_id: local_id.map(str::to_owned),
        code: 131_009,
        reason: "phone_number: no numbering plan has this number".to_owned(),
        params: None,
    }
}

/// Replaces ids and times, which differ from run to run.
fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, replace)
}

fn replace(name: &str, value: &mut Value) -> bool {
    match name {
        "local_message_id" => {}
        "bsuid" | "stopped_at" | "last_updated" | "timestamp" => *value = json!(format!("<{name}>")),
        _ if name == "id" || name.ends_with("_id") => *value = json!("<id>"),
        _ => return false,
    }
    true
}
