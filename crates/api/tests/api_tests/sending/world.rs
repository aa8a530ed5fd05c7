//! A business with a channel of the sandbox, templates that were approved and one that was not, and people.

use domain::identity::networks::Networks;
use sandbox::driver::InboxMessage;
use serde_json::{Value, json};
use store::{Statement, params};
use testkit::database::TestDb;
use testkit::network::NetworkSettings;
use testkit::world::{Answer, OnWorld};
use testkit::{Engine, World};

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
    (US.13491208655302741918), optionally after a channel (MyChannel:14155552671)";

pub const TEXT: &str = "/api/ext/v3/conversations/messages/text";
pub const FILE: &str = "/api/ext/v3/conversations/messages/file";
pub const FILE_VIA_URL: &str = "/api/ext/v3/conversations/messages/fileViaUrl";
pub const INTERACTIVE: &str = "/api/ext/v3/conversations/messages/interactive";
pub const REACTION: &str = "/api/ext/v3/conversations/messages/reaction";
pub const FORWARD: &str = "/api/ext/v3/conversations/messages/forward";
pub const SEND: &str = "/api/ext/v3/messageTemplates/send";
pub const SCHEDULE: &str = "/api/ext/v3/messageTemplates/schedule";

static STORED: Statement = Statement::new(
    "test.stored",
    "SELECT (SELECT COUNT(*) FROM messages WHERE tenant_id = $1 AND direction = 'outbound' AND event <> 'ticket')
     + (SELECT COUNT(*) FROM outbox WHERE tenant_id = $1) + (SELECT COUNT(*) FROM broadcasts WHERE tenant_id = $1)
     + (SELECT COUNT(*) FROM media WHERE tenant_id = $1)",
);

pub async fn stage(engine: Engine) -> World {
    reaching(engine, &[]).await
}

/// A stage with its people.
pub async fn peopled(engine: Engine) -> World {
    let stage = stage(engine).await;
    stage.people().await;
    stage
}

/// A stage whose application may fetch files from these private networks.
pub async fn reaching(engine: Engine, reach: &[&str]) -> World {
    let reach = Networks::parse(reach.iter().copied()).unwrap();
    // The sandbox posts for all tenants, so each test has a database of its own.
    let test = TestDb::alone(engine).await;
    let stage = World::with_network(test, NetworkSettings { reach, ..NetworkSettings::default() }).await;
    let stage = stage.with_token(&["api"]).await;
    let update = "Hello {{name}}, order {{order}} is on its way.";
    stage.template("order_update", "UTILITY", update, &["name", "order"]).await;
    stage.template("offer", "MARKETING", "Hello {{1}}, we have something for you.", &["1"]).await;
    stage.later(5).await;
    stage
}

pub trait Stage: OnWorld {
    async fn template(self, name: &str, category: &str, body: &str, variables: &[&str]) {
        let samples: Vec<_> = variables.iter().map(|name| json!({"name": name, "value": "Ada"})).collect();
        let new = json!({"name": name, "category": category, "language": "en", "body": body, "custom_params": samples});
        self.good("/api/ext/v3/messageTemplates", &new).await;
    }

    /// Creates the people: Ada has written, Ben never has, Jack has opted out, Max is blocked. Also a template under
    /// review.
    async fn people(self) {
        self.say(ADA, "Hello?").await;
        for (number, name) in [(BEN, "Ben"), (JACK, "Jack"), (MAX, "Max")] {
            self.good("/api/ext/v3/contacts", &json!({"whatsapp_number": number, "name": name})).await;
        }
        self.consent(JACK, &json!({"opted_in": false})).await;
        self.consent(MAX, &json!({"blocked": true})).await;
        // The template stays under review, because the clock does not advance.
        self.template("pending_one", "UTILITY", "Hello {{1}}, it is waiting.", &["1"]).await;
    }

    async fn consent(self, who: &str, body: &Value) {
        let path = format!("/api/ext/v3/contacts/{who}/consent");
        self.put(&path, body).await.ok();
    }

    /// Posts without a body, as V1 clients do.
    async fn bare(self, path: &str) -> Answer {
        self.by(&self.token).bare("POST", path).await
    }

    fn v2(self, rest: &str) -> String {
        format!("/{}/api/v2/{rest}", self.tenant())
    }

    /// Runs the sender, then returns the messages that a person has received, the newest last.
    async fn inbox(self, who: &str) -> Vec<InboxMessage> {
        self.drain().await;
        self.later(2).await;
        self.received(who).await
    }

    async fn last(self, who: &str) -> InboxMessage {
        self.inbox(who).await.pop().unwrap()
    }

    /// The number of outbound messages, outbox rows, broadcasts and files together.
    async fn stored(self) -> i64 {
        self.test.db.row(&STORED, params![self.tenant()], store::read::<i64>).await.unwrap().unwrap()
    }
}

impl Stage for &World {}

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
