//! A business with a channel of the sandbox, templates that were approved and one that was not, and people.

use std::time::Duration;

use app::Command;
use app::messages::{SendProgress, SendingAccount};
use axum::body::Body;
use domain::networks::Networks;
use sandbox::driver::{InboxMessage, Say};
use serde_json::{Value, json};
use store::{Statement, params};
use testkit::application::{Answer, TestApp, request};
use testkit::database::TestDb;
use testkit::network::NetworkSettings;

/// The number of a person who has written, so that the window is open.
pub const ADA: &str = "14155550132";
/// The number of a known contact who has never written.
pub const BEN: &str = "442079460123";
/// The number of a contact who has opted out.
pub const JACK: &str = "12125550147";
/// The number of a blocked contact.
pub const MAX: &str = "14155552671";

/// The message for an invalid target.
pub const NO_TARGET: &str = "expected a phone number (14155552671), a contact id (24 hex digits) or a BSUID \
    (US.13491208655302741918), with or without a channel in front (MyChannel:14155552671)";

pub const TEXT: &str = "/api/ext/v3/conversations/messages/text";
pub const FILE: &str = "/api/ext/v3/conversations/messages/file";
pub const FILE_VIA_URL: &str = "/api/ext/v3/conversations/messages/fileViaUrl";
pub const INTERACTIVE: &str = "/api/ext/v3/conversations/messages/interactive";
pub const SEND: &str = "/api/ext/v3/messageTemplates/send";
pub const SCHEDULE: &str = "/api/ext/v3/messageTemplates/schedule";

static STORED: Statement = Statement::new(
    "test.stored",
    "SELECT (SELECT COUNT(*) FROM messages WHERE tenant_id = $1 AND direction = 'outbound' AND event <> 'ticket')
     + (SELECT COUNT(*) FROM outbox WHERE tenant_id = $1) + (SELECT COUNT(*) FROM broadcasts WHERE tenant_id = $1)
     + (SELECT COUNT(*) FROM media WHERE tenant_id = $1)",
);

pub struct Stage {
    pub app: TestApp,
    pub token: String,
}

impl Stage {
    pub async fn new(test: TestDb) -> Self {
        Self::reaching(test, &[]).await
    }

    /// A stage whose application may fetch files from these private networks.
    pub async fn reaching(test: TestDb, reach: &[&str]) -> Self {
        let settings =
            NetworkSettings { reach: Networks::parse(reach.iter().copied()).unwrap(), ..NetworkSettings::default() };
        // The sandbox posts for all tenants, so each test has a database of its own.
        let app = TestApp::with_network(TestDb::alone(test.db.engine()).await, &settings).await;
        let token = app.token(app.tenant(), &["api"]).await;
        let stage = Self { app, token };
        stage
            .template("order_update", "UTILITY", "Hello {{name}}, order {{order}} is on its way.", &["name", "order"])
            .await;
        stage.template("offer", "MARKETING", "Hello {{1}}, we have something for you.", &["1"]).await;
        stage.go_on(5).await;
        stage
    }

    async fn template(&self, name: &str, category: &str, body: &str, variables: &[&str]) {
        let samples: Vec<_> = variables.iter().map(|name| json!({"name": name, "value": "Ada"})).collect();
        let new = json!({"name": name, "category": category, "language": "en", "body": body, "custom_params": samples});
        self.good("/api/ext/v3/messageTemplates", &new).await;
    }

    /// Creates the people: Ada has written, Ben never has, Jack has opted out, Max is blocked. Also a template under
    /// review.
    pub async fn people(&self) {
        self.say(ADA, "Hello?").await;
        for (number, name) in [(BEN, "Ben"), (JACK, "Jack"), (MAX, "Max")] {
            self.good("/api/ext/v3/contacts", &json!({"whatsapp_number": number, "name": name})).await;
        }
        self.consent(JACK, &json!({"opted_in": false})).await;
        self.consent(MAX, &json!({"blocked": true})).await;
        // The template stays under review, because the clock does not advance.
        self.template("pending_one", "UTILITY", "Hello {{1}}, it is waiting.", &["1"]).await;
    }

    async fn consent(&self, who: &str, body: &Value) {
        let path = format!("/api/ext/v3/contacts/{who}/consent");
        let answer = self.send("PUT", &path, "application/json", body.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    pub async fn send(&self, method: &str, path: &str, mime: &str, body: impl Into<Body>) -> Answer {
        let request = request(method, path, Some(&self.token)).header("content-type", mime);
        self.app.send(request.body(body.into()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.app.post(path, &self.token, body).await
    }

    pub async fn good(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()
    }

    /// Posts without a body, as V1 clients do.
    pub async fn bare(&self, path: &str) -> Answer {
        let request = request("POST", path, Some(&self.token));
        self.app.send(request.body(Body::empty()).unwrap()).await
    }

    pub fn v1(&self, rest: &str) -> String {
        format!("/{}/api/v1/{rest}", self.app.tenant())
    }

    pub fn v2(&self, rest: &str) -> String {
        format!("/{}/api/v2/{rest}", self.app.tenant())
    }

    /// Advances the clock and applies what the network posts meanwhile.
    pub async fn go_on(&self, seconds: u64) {
        self.app.test.clock.advance(Duration::from_secs(seconds));
        self.app.sandbox.as_ref().unwrap().post_due().await.unwrap();
        self.app.app.process_inbound(&|| false).await.unwrap();
    }

    pub async fn say(&self, who: &str, text: &str) {
        let say = Say { text: Some(text.to_owned()), ..Say::default() };
        self.app.sandbox.as_ref().unwrap().say(self.app.tenant(), who, say).await.unwrap();
        self.go_on(2).await;
    }

    /// Runs the sender, then returns the messages that a person has received, the newest last.
    pub async fn inbox(&self, who: &str) -> Vec<InboxMessage> {
        let tenant = self.app.tenant();
        let channel = self.app.app.channels().list(&Command(tenant)).await.unwrap().remove(0);
        let account = SendingAccount { tenant, account_id: channel.account_id, channels: vec![channel.id] };
        while let SendProgress::Until(at) = self.app.app.send_due(&account, &|| false).await.unwrap() {
            let micros = at.micros() - self.app.app.now().micros();
            self.app.test.clock.advance(Duration::from_micros(u64::try_from(micros).unwrap_or(0).max(1)));
        }
        self.go_on(2).await;
        self.app.sandbox.as_ref().unwrap().inbox(tenant, who, 100).await.unwrap().messages
    }

    pub async fn last(&self, who: &str) -> InboxMessage {
        self.inbox(who).await.pop().unwrap()
    }

    /// The number of outbound messages, outbox rows, broadcasts and files together.
    pub async fn stored(&self) -> i64 {
        self.app.test.db.row(&STORED, params![self.app.tenant()], store::read::<i64>).await.unwrap().unwrap()
    }
}

pub fn text(target: &str, text: &str) -> Value {
    json!({"target": target, "text": text})
}

/// A send of the template `order_update` to these recipients.
pub fn update(recipients: &Value) -> Value {
    json!({"template_name": "order_update", "broadcast_name": "May", "recipients": recipients})
}

pub fn filled(number: &str) -> Value {
    json!({"phone_number": number, "custom_params": [
        {"name": "name", "value": "Ada"}, {"name": "order", "value": "A-1"},
    ]})
}

/// The content type and the body of a form: the file first, if there is one (member, name, type and bytes), then the
/// texts.
pub fn form(texts: &[(&str, &str)], file: Option<(&str, &str, &str, &[u8])>) -> (String, Vec<u8>) {
    let boundary = "a-line-between-parts";
    let mut body = Vec::new();
    if let Some((member, name, mime, bytes)) = file {
        let head =
            format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{member}\"; filename=\"{name}\"\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(format!("content-type: {mime}\r\n\r\n").as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    for (name, text) in texts {
        let part = format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}
