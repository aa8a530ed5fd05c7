//! Broadcasts and chatbots over the wire, on both databases.

mod chatbots;
mod v3;

use std::ops::Deref;

use domain::messaging::broadcasts::Broadcast;
use domain::messaging::channels::Channel;
use domain::messaging::messages::{
    HistoryKind, Message, MessageDirection, MessageFailure, MessageOperator, MessageSource, MessageState,
    TemplateParams,
};
use domain::{ContactId, Id, Timestamp};
use serde_json::{Value, json};
use store::messaging::broadcasts::RefusedRecipient;
use store::messaging::outbox::NewOutboxEntry;
use testkit::sends::param;
use testkit::{Engine, World};

const BROADCASTS: &str = "/api/ext/v3/broadcasts";
/// 2026-04-24T10:00:00Z
const MADE: Timestamp = Timestamp::from_seconds(1_777_024_800);

/// A tenant with a channel, the contact Ada, and a broadcast: one message to Ada in each of some states, and two
/// refused recipients.
struct Campaign {
    world: World,
    broadcast: Broadcast,
}

impl Deref for Campaign {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Campaign {
    async fn new(engine: Engine) -> Self {
        Self::with(engine, &[MessageState::Queued, MessageState::Delivered, MessageState::Failed], None).await
    }

    async fn with(engine: Engine, states: &[MessageState], scheduled_at: Option<Timestamp>) -> Self {
        let world = World::new(engine).await.with_channel("Support", "14155550100").await;
        let world = world.with_token(&["campaignsv3:write"]).await;
        let ada = world.contact("14155552671", "Ada Lovelace").await;
        let broadcast = broadcast(world.channel(), scheduled_at);
        let messages: Vec<_> = states.iter().map(|state| message(&broadcast, ada.id, *state)).collect();
        let campaign = Self { world, broadcast };
        campaign.store(&messages).await;
        campaign
    }

    async fn store(&self, messages: &[Message]) {
        let waiting = |one: &&Message| matches!(one.state, MessageState::Accepted | MessageState::Queued);
        let waiting: Vec<_> = messages.iter().filter(waiting).map(waits).collect();
        let refused = vec![refused(1, "11111111111", Some("order-2")), refused(4, "nobody", None)];
        let input = (self.tenant(), self.broadcast.clone(), messages.to_vec(), waiting, refused);
        let write = self.test.db.write(input, |tx, (tenant, broadcast, messages, waiting, refused)| {
            Box::pin(async move {
                store::messaging::broadcasts::insert(tx, *tenant, broadcast, refused).await?;
                store::messaging::messages::insert_many(tx, *tenant, messages).await?;
                store::messaging::outbox::insert_many(tx, *tenant, waiting).await
            })
        });
        write.await.unwrap();
    }

    fn path(&self, rest: &str) -> String {
        format!("{BROADCASTS}/{}{rest}", self.broadcast.id)
    }

    async fn read(&self, rest: &str) -> Value {
        self.get(&self.path(rest)).await.ok()
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
        params: TemplateParams::from_params(&[param("1", "Ada")]),
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
        reason: "phone_number: the phone number is not valid in any country".to_owned(),
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
