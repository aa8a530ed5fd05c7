//! Reads the event log of the test's tenant, and makes posts like those of the network.

use app::principal::AccountRef;
use app::{ActsFor, Command};
use domain::events::{EventType, EventTypes};
use domain::roles::Role;
use domain::{MessageId, TenantId};
use sandbox::Change;
use serde_json::{Value, json};

use crate::sending::world::{World, template_send, text_send, to};

pub const OPERATOR: &str = "grace@example.com";

/// A caller with an account.
#[derive(Debug)]
pub struct Operator {
    tenant: TenantId,
    account: AccountRef,
}

impl ActsFor for Operator {
    fn tenant(&self) -> TenantId {
        self.tenant
    }

    fn account(&self) -> Option<&AccountRef> {
        Some(&self.account)
    }
}

/// An event as a client receives it.
#[derive(Debug, Clone)]
pub struct PublishedEvent {
    pub kind: EventType,
    pub text: String,
    pub payload: Value,
}

impl World {
    /// All events so far.
    pub async fn published(&self) -> Vec<PublishedEvent> {
        while self.app().events().number_log(self.caller().tenant()).await.unwrap() {}
        let page = self.app().events().pull(&self.caller(), 0, EventTypes::all(), 10_000).await.unwrap();
        let files = self.app().file_address(self.caller().tenant());
        let published = |event: &domain::events::Event| {
            let text = event.payload_at(&files).into_owned();
            PublishedEvent { kind: event.kind, payload: serde_json::from_str(&text).unwrap(), text }
        };
        page.events.iter().map(published).collect()
    }

    /// The names of the events of one message, in order, without the `_v2` and `_bsuid` types.
    pub async fn event_names_of(&self, message: MessageId) -> Vec<&'static str> {
        let of_it = |event: &PublishedEvent| event.payload["id"] == json!(message) && is_plain(event.kind);
        self.published().await.iter().filter(|event| of_it(event)).map(|event| event.kind.name()).collect()
    }

    /// The payloads of the events of one type.
    pub async fn payloads_of(&self, kind: EventType) -> Vec<Value> {
        self.published().await.into_iter().filter(|event| event.kind == kind).map(|event| event.payload).collect()
    }

    pub async fn operator(&self) -> Operator {
        let new = app::accounts::NewAccount {
            email: OPERATOR.to_owned(),
            name: Some("Grace".to_owned()),
            role: Role::Operator,
            password: None,
        };
        let tenant = self.wired.tenant;
        let id = self.app().accounts().create(&Command(tenant), new).await.unwrap().id;
        Operator { tenant, account: AccountRef { id, email: OPERATOR.to_owned() } }
    }

    /// A template message that is accepted and has not left.
    pub async fn accepted(&self, template: &str, person: &str) -> MessageId {
        let accepted = self.send_template(template_send(template, vec![to(person)])).await.unwrap();
        accepted.recipients[0].message_id.unwrap()
    }

    /// A free message that is accepted and has not left.
    pub async fn written(&self, person: &str, text: &str) -> MessageId {
        self.send(text_send(person, text)).await.unwrap().message.id
    }

    /// Makes the sandbox post this change, and processes it.
    pub async fn post(&self, field: &str, value: Value) {
        let change = Change { field: field.to_owned(), value };
        self.wired.sandbox.inject(self.wired.tenant, None, change).await.unwrap();
        self.advance(1).await;
    }

    /// Posts a status with the network's message id and, if given, our message id as callback data.
    pub async fn status(&self, network_id: &str, ours: Option<MessageId>, status: &str) {
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
        self.post("messages", self.value(&json!({"statuses": [status]}))).await;
    }

    pub fn value(&self, more: &Value) -> Value {
        let channel = &self.wired.channel;
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

/// Whether the type is the first one of its fact: neither `_v2` nor `_bsuid`.
pub fn is_plain(kind: EventType) -> bool {
    !kind.is_bsuid() && !kind.name().ends_with("_v2")
}
