//! Driving the sandbox over the wire, on both databases: actions of people, refusals, and the control socket.

mod bad_input;
mod control_socket;
mod faults;
mod people;

use std::time::Duration;

use app::Command;
use axum::body::Body;
use domain::TenantId;
use domain::roles::Role;
use sandbox::Reply;
use serde_json::{Value, json};
use testkit::application::{Answer, TestApp, request};
use testkit::database::TestDb;

const SANDBOX: &str = "/api/ext/v3/sandbox";
/// The number of the sandbox's first person.
const ADA: &str = "14155550132";

/// A tenant with a sandbox, and a developer who drives it.
struct Stage {
    app: TestApp,
    jwt: String,
}

impl Stage {
    async fn new(test: TestDb) -> Self {
        // The sandbox posts for all tenants, so each test has a database of its own.
        let app = TestApp::with_sandbox(TestDb::alone(test.db.engine()).await).await;
        let jwt = developer(&app, app.tenant()).await;
        Self { app, jwt }
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let builder = request(method, &format!("{SANDBOX}/{path}"), Some(&self.jwt));
        let builder = builder.header("content-type", "application/json");
        self.app.send(builder.body(Body::from(body.to_string())).unwrap()).await
    }

    async fn get(&self, path: &str) -> Value {
        good(&self.app.get(&format!("{SANDBOX}/{path}"), &self.jwt).await)
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        good(&self.send("POST", path, &body).await)
    }

    /// Makes a request to the sandbox's Graph server as the business's client does.
    async fn graph(&self, path: &str, body: Value) -> Value {
        let channels = self.app.app.channels().list(&app::Command(self.app.tenant())).await.unwrap();
        let opened = self.app.app.channels().open(self.app.tenant(), channels[0].id).await.unwrap();
        let path = path.replace("{number}", &opened.channel.phone_number_id);
        let path = path.replace("{account}", &opened.channel.account_id);
        let request = axum::http::Request::post(format!("http://sandbox.test/v23.0/{path}"))
            .header("authorization", format!("Bearer {}", *opened.secrets.access_token))
            .header("content-type", "application/json");
        let request = request.body(channels::transport::full(body.to_string())).unwrap();
        let Reply::Answer(answer) = self.app.sandbox.as_ref().unwrap().graph(request).await else { panic!("reset") };
        let (head, body) = answer.into_parts();
        let bytes = channels::transport::collect(body, 1 << 20).await.unwrap();
        assert_eq!(head.status, 200, "{}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Sends a message of the business to the first person and returns its id, a minute later by the clock.
    async fn business_sends(&self, kind: &str, content: Value) -> String {
        let message = json!({"messaging_product": "whatsapp", "to": ADA, "type": kind, kind: content});
        let sent = self.graph("{number}/messages", message).await;
        self.app.test.clock.advance(Duration::from_mins(1));
        sent["messages"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Lets the sandbox post what is due, and returns all bodies in the journal of the channel.
    async fn journalled(&self) -> Vec<Value> {
        self.app.sandbox.as_ref().unwrap().post_due().await.unwrap();
        let tenant = self.app.tenant();
        let channels = self.app.app.channels().list(&app::Command(tenant)).await.unwrap();
        let entries = store::inbound::next(self.app.app.db(), tenant, channels[0].id, 1_000).await.unwrap();
        entries.iter().map(|entry| serde_json::from_slice(&entry.body).unwrap()).collect()
    }
}

async fn developer(app: &TestApp, tenant: TenantId) -> String {
    let email = format!("dev-{}@example.com", domain::AccountId::new(app.app.now()));
    app.account(tenant, &email, Role::Developer).await;
    app.app.tokens().legacy(&Command(tenant), &email).await.unwrap()
}

#[track_caller]
fn good(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, parameter: &str) {
    assert_eq!(answer.status, status, "{parameter}: {}", answer.text);
    assert_eq!(answer.json()["parameter"], parameter, "{}", answer.text);
}

/// Replaces ids and times, which differ from run to run.
fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, replace)
}

const VARYING: [&str; 9] =
    ["id", "channel_id", "bsuid", "message", "at", "received_at", "read_at", "transactions", "started_at"];
const ENDS: [&str; 2] = ["answered_at", "ends_at"];

fn replace(name: &str, value: &mut Value) -> bool {
    let varies = VARYING.contains(&name) || ENDS.contains(&name);
    match value {
        Value::String(text) if varies => *text = format!("[{name}]"),
        Value::Array(ids) if varies => ids.iter_mut().for_each(|id| *id = "[id]".into()),
        _ => return false,
    }
    true
}
