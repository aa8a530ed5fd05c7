//! Reads the event log of the test's tenant, and makes posts like those of the network.

use domain::MessageId;
use domain::delivery::events::{EventType, EventTypes};
use sandbox::Change;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::OnWorld;

use crate::callers::TestCaller;
use crate::sending::world::{Sending as _, template_send, text_send, to};

pub const OPERATOR: &str = "grace@example.com";

/// An event as a client receives it.
#[derive(Debug, Clone)]
pub struct PublishedEvent {
    pub kind: EventType,
    pub text: String,
    pub payload: Value,
}

pub trait Published: OnWorld {
    /// All events so far.
    async fn published(self) -> Vec<PublishedEvent> {
        let events = self.events(EventTypes::all()).await;
        let files = self.app.file_address(self.tenant());
        let published = |event: &domain::delivery::events::Event| {
            let text = event.payload_at(&files).into_owned();
            PublishedEvent { kind: event.kind, payload: serde_json::from_str(&text).unwrap(), text }
        };
        events.iter().map(published).collect()
    }

    /// The names of the events of one message, in order, without the `_v2` and `_bsuid` types.
    async fn event_names_of(self, message: MessageId) -> Vec<&'static str> {
        let of_it = |event: &PublishedEvent| event.payload["id"] == json!(message) && is_plain(event.kind);
        self.published().await.iter().filter(|event| of_it(event)).map(|event| event.kind.name()).collect()
    }

    /// The payloads of the events of one type.
    async fn payloads_of(self, kind: EventType) -> Vec<Value> {
        self.published().await.into_iter().filter(|event| event.kind == kind).map(|event| event.payload).collect()
    }

    async fn operator(self) -> TestCaller {
        TestCaller::operator(&self, OPERATOR, Some("Grace")).await
    }

    /// A template message that is accepted and has not left.
    async fn accepted(self, template: &str, person: &str) -> MessageId {
        let accepted = self.send_template(template_send(template, vec![to(person)])).await.unwrap();
        accepted.recipients[0].message_id.unwrap()
    }

    /// A free message that is accepted and has not left.
    async fn written(self, person: &str, text: &str) -> MessageId {
        self.send_message(text_send(person, text)).await.unwrap().message.id
    }

    /// Makes the sandbox post this change, and processes it.
    async fn inject(self, field: &str, value: Value) {
        let change = Change { field: field.to_owned(), value };
        self.sandbox().inject(self.tenant(), None, change).await.unwrap();
        self.later(1).await;
    }

    /// Posts a status with the network's message id and, if given, our message id as callback data.
    async fn status(self, network_id: &str, ours: Option<MessageId>, status: &str) {
        let mut status = json!({
            "id": network_id, "status": status, "timestamp": self.now().seconds().to_string(),
            "recipient_id": crate::sending::world::ADA,
        });
        if let Some(ours) = ours {
            status["biz_opaque_callback_data"] = json!(ours);
        }
        if status["status"] == "failed" {
            status["errors"] = json!([{"code": 131_026, "title": "Message undeliverable"}]);
        }
        self.inject("messages", self.value(&json!({"statuses": [status]}))).await;
    }

    fn value(self, more: &Value) -> Value {
        let channel = self.channel();
        let mut value = json!({
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": channel.phone_number, "phone_number_id": channel.phone_number_id},
        });
        for (key, given) in more.as_object().unwrap() {
            value[key] = given.clone();
        }
        value
    }
}

impl Published for &World {}

/// Whether the type is the first one of its fact: neither `_v2` nor `_bsuid`.
pub fn is_plain(kind: EventType) -> bool {
    !kind.is_bsuid() && !kind.name().ends_with("_v2")
}
