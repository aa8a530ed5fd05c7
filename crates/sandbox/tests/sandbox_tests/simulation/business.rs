//! The business: sends through the real Graph client and stores outcomes, as Switchboard's sender does.

use channels::graph::{Class, Content, Interaction, Interactive, Outgoing, Recipient, ReplyButton};
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use domain::{ChannelId, Id, MessageId, TenantId};
use rand::RngExt as _;
use serde_json::json;

use crate::simulation::story::Story;

/// Outcomes of sends, as the answers of the network show them.
#[derive(Debug, Default)]
pub struct Sends {
    pub accepted: Vec<String>,
    /// The answer was lost; only a status shows whether the message was accepted.
    pub doubtful: Vec<MessageId>,
    pub refused: Vec<MessageId>,
}

impl Story {
    pub async fn send(&mut self) {
        let person = self.person();
        let id = Id::seeded(self.world.app.now(), self.dice.random());
        let recipient = if person.contains('.') { Recipient::Bsuid(person) } else { Recipient::Phone(person) };
        let message =
            Outgoing { recipient, content: self.content(), reply_to: None, callback_data: Some(id.to_string()) };
        self.write(draft(self.world.channel().id, id, self.world.app.now())).await;
        let sent = self.world.graph().await.send(&message).await;
        let (state, network_id) = match &sent {
            Ok(sent) => (MessageState::Submitted, Some(sent.message_id.clone())),
            Err(error) if error.class == Class::Unknown => (MessageState::Unknown, None),
            Err(_) => (MessageState::Failed, None),
        };
        match &network_id {
            Some(network_id) => self.sends.accepted.push(network_id.clone()),
            None if state == MessageState::Unknown => self.sends.doubtful.push(id),
            None => self.sends.refused.push(id),
        }
        self.record("sent", &json!([state, network_id, sent.err().map(|error| error.to_string())]));
        self.update(id, state, network_id).await;
    }

    fn content(&mut self) -> Content {
        let text = format!("offer {}", self.dice.random_range(0..1000));
        if self.dice.random_bool(0.5) {
            return Content::text(text);
        }
        let buttons = ["Yes", "No"].map(|title| ReplyButton { id: title.to_lowercase(), title: title.to_owned() });
        let interaction = Interaction::Buttons(buttons.to_vec());
        Content::Interactive(Box::new(Interactive { header: None, body: Some(text), footer: None, interaction }))
    }

    async fn write(&self, message: Message) {
        let input = (self.world.tenant(), message);
        let insert = self.world.test.db.write(input, |tx, (tenant, message): &(TenantId, Message)| {
            Box::pin(store::messaging::messages::insert(tx, *tenant, message))
        });
        assert!(insert.await.unwrap());
    }

    async fn update(&self, id: MessageId, state: MessageState, network_id: Option<String>) {
        let input = (self.world.tenant(), id, state, network_id);
        let update = self.world.test.db.write(input, |tx, (tenant, id, state, network_id)| {
            Box::pin(async move {
                let Some(mut message) = store::messaging::messages::by_id_for_update(tx, *tenant, *id).await? else {
                    return Ok(());
                };
                message.state = message.state.advanced(*state);
                message.network_id = message.network_id.or_else(|| network_id.clone());
                store::messaging::messages::update(tx, *tenant, &message).await
            })
        });
        update.await.unwrap();
    }
}

fn draft(channel_id: ChannelId, id: MessageId, now: domain::Timestamp) -> Message {
    Message::bare(id, channel_id, MessageDirection::Outbound, MessageState::Accepted, "text", now.to_millis())
}
