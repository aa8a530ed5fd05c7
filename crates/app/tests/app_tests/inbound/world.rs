//! A tenant with a channel, and posts as the network would send them.

use app::channels::Secrets;
use app::inbound::Refused;
use app::{App, Command, Config};
use channels::signature;
use domain::calls::CallFilter;
use domain::channels::{Channel, NewChannel};
use domain::contacts::Contact;
use domain::keys::{Keyring, SecretKey};
use domain::messages::Message;
use domain::scopes::Hierarchy;
use domain::{ChannelId, MessageId};
use serde_json::{Value, json};
use store::inbound::ParkedRecord;
use testkit::database::TestDb;
use zeroize::Zeroizing;

pub const APP_SECRET: &str = "app-secret-of-the-test";
pub const PERSON: &str = "16505551234";
pub const BSUID: &str = "US.13491208655302741918";

#[derive(Debug)]
pub struct World {
    pub test: TestDb,
    pub app: App,
    pub channel: Channel,
}

pub fn app_on(test: &TestDb, keyring: &Keyring) -> App {
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
    App::new(test.another_handle(), test.clock.clone(), keyring, config).unwrap()
}

pub fn secrets() -> Secrets {
    let made = |text: &str| Zeroizing::new(text.to_owned());
    Secrets {
        access_token: made("access-token-of-the-test"),
        app_secret: made(APP_SECRET),
        verify_token: made("verify-token-of-the-test"),
    }
}

impl World {
    pub async fn new(test: TestDb) -> Self {
        Self::with_key(test, &Keyring::new(SecretKey::random(), None)).await
    }

    /// The journal is processed for all tenants, so each test has a database of its own: in a shared one another test's
    /// node might hold the lease of this test's channel.
    pub async fn with_key(test: TestDb, keyring: &Keyring) -> Self {
        let test = TestDb::alone(test.db.engine()).await;
        let app = app_on(&test, keyring);
        let channel = add(&app, &test, "Support", "14155552671", "106540352242922").await;
        Self { test, app, channel }
    }

    pub fn me(&self) -> Command {
        Command(self.test.tenant)
    }

    pub async fn post(&self, body: &Value) {
        self.post_bytes(body.to_string().into_bytes()).await.unwrap();
    }

    pub async fn post_bytes(&self, body: Vec<u8>) -> Result<(), Refused> {
        let signed = signature::sign(APP_SECRET.as_bytes(), &body);
        self.app.inbound().signed_post(self.channel.id, Some(&signed)).await?.accept(body).await
    }

    pub async fn process(&self) {
        self.app.process_inbound(&|| false).await.unwrap();
    }

    /// Posts a body and processes it.
    pub async fn arrives(&self, body: &Value) {
        self.post(body).await;
        self.process().await;
    }

    pub async fn messages(&self) -> Vec<Message> {
        store::messages::of_channel(&self.test.db, self.test.tenant, self.channel.id, "", 10_000).await.unwrap()
    }

    pub async fn calls(&self) -> Vec<Value> {
        let mut calls = Vec::new();
        let filter = CallFilter { limit: 1000, ..CallFilter::default() };
        let show = |call: store::calls::ListedCall<'_>| {
            calls.push(serde_json::from_str(call.doc).unwrap());
            Ok(())
        };
        store::calls::list(&self.test.db, self.test.tenant, &filter, show).await.unwrap();
        calls
    }

    pub async fn contact(&self, to: &str) -> Contact {
        self.app.contacts().history(&self.me(), to).await.unwrap().contact
    }

    pub async fn parked(&self) -> Vec<ParkedRecord> {
        self.app.inbound().parked(&self.me(), 1000).await.unwrap()
    }

    pub async fn reports(&self, kind: &str, subject: &str) -> usize {
        store::reports::about(&self.test.db, self.test.tenant, kind, subject).await.unwrap().len()
    }
}

pub async fn add(app: &App, test: &TestDb, name: &str, number: &str, number_id: &str) -> Channel {
    let new = NewChannel {
        name: name.to_owned(),
        phone_number: number.to_owned(),
        phone_number_id: number_id.to_owned(),
        account_id: "102290129340398".to_owned(),
        network: "whatsapp".to_owned(),
    };
    app.channels().add(&Command(test.tenant), new, &secrets()).await.unwrap()
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
    use domain::messages::{MessageDirection, MessageState};
    Message {
        text: Some("Hello".to_owned()),
        content: Some("{}".to_owned()),
        ..Message::bare(id, channel, MessageDirection::Outbound, MessageState::Unknown, "text", at)
    }
}
