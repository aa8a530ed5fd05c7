//! A tenant with a channel, and posts as the network would send them.

use app::App;
use app::messaging::channels::Secrets;
use domain::calls::CallFilter;
use domain::messaging::channels::{Channel, NewChannel};
use domain::messaging::messages::Message;
use domain::people::contacts::Contact;
use domain::{ChannelId, MessageId, TenantId};
use serde_json::{Value, json};
use testkit::world::OnWorld;
use testkit::{Engine, World};

pub const PERSON: &str = "16505551234";
pub const BSUID: &str = "US.13491208655302741918";

/// The journal is processed for all tenants, so each test has a database of its own: in a shared one another test's
/// node might hold the lease of this test's channel.
pub async fn support(engine: Engine) -> World {
    World::alone(engine).await.with_channel("Support", "14155552671").await
}

pub trait Inbound: OnWorld {
    async fn journal(self, body: &Value) {
        self.post_hook(body.to_string().into_bytes()).await.unwrap();
    }

    /// Posts a body and processes it.
    async fn arrives(self, body: &Value) {
        self.journal(body).await;
        self.process_inbound().await;
    }

    async fn messages(self) -> Vec<Message> {
        store::messaging::messages::of_channel(&self.test.db, self.tenant(), self.channel().id, "", 10_000)
            .await
            .unwrap()
    }

    async fn calls(self) -> Vec<Value> {
        let mut calls = Vec::new();
        let filter = CallFilter { limit: 1000, ..CallFilter::default() };
        let mut show = |call: store::calls::ListedCall<'_>| {
            calls.push(serde_json::from_str(call.doc).unwrap());
            Ok(())
        };
        store::calls::list(&self.test.db, self.tenant(), &filter, &mut show).await.unwrap();
        calls
    }

    async fn contact_of(self, to: &str) -> Contact {
        self.app.people().contacts().history(&self.me(), to).await.unwrap().contact
    }

    async fn reports(self, kind: &str, subject: &str) -> usize {
        store::messaging::network_reports::about(&self.test.db, self.tenant(), kind, subject).await.unwrap().len()
    }
}

impl Inbound for &World {}

pub async fn add(app: &App, tenant: TenantId, name: &str, number: &str, number_id: &str) -> Channel {
    let new = NewChannel {
        name: name.to_owned(),
        phone_number: number.to_owned(),
        phone_number_id: number_id.to_owned(),
        account_id: "102290129340398".to_owned(),
        network: "whatsapp".to_owned(),
    };
    let secret = || "a-secret-of-the-test".to_owned().into();
    let secrets = Secrets { access_token: secret(), app_secret: secret(), verify_token: secret() };
    app.messaging().channels().add(&app::Command(tenant), new, &secrets).await.unwrap()
}

/// A body of the network with one change.
pub fn change(field: &str, value: &Value) -> Value {
    json!({"object": "whatsapp_business_account", "entry": [
        {"id": "102290129340398", "time": 1_776_000_100, "changes": [{"field": field, "value": value}]},
    ]})
}

pub fn value(more: &Value) -> Value {
    let mut value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "14155552671", "phone_number_id": "106540352242922"},
        "contacts": [{"profile": {"name": "Ada"}, "wa_id": PERSON, "user_id": BSUID}],
    });
    for (key, given) in more.as_object().unwrap() {
        value[key] = given.clone();
    }
    value
}

pub fn text_message(id: &str, text: &str, at: i64) -> Value {
    json!({"from": PERSON, "from_user_id": BSUID, "id": id, "timestamp": at.to_string(), "type": "text", "text": {"body": text}})
}

pub fn messages(list: &[Value]) -> Value {
    change("messages", &value(&json!({"messages": list})))
}

pub fn status(id: &str, status: &str, at: i64) -> Value {
    json!({"id": id, "status": status, "timestamp": at.to_string(), "recipient_id": PERSON, "recipient_user_id": BSUID})
}

pub fn statuses(list: &[Value]) -> Value {
    change("messages", &value(&json!({"statuses": list})))
}

/// A message that was sent and whose outcome is unknown.
pub fn outbound(channel: ChannelId, id: MessageId, at: domain::Timestamp) -> Message {
    use domain::messaging::messages::{MessageDirection, MessageState};
    Message {
        text: Some("Hello".to_owned()),
        content: Some("{}".to_owned()),
        ..Message::bare(id, channel, MessageDirection::Outbound, MessageState::Unknown, "text", at)
    }
}
