//! Driving the sandbox over the wire, on both databases: actions of people, refusals, and the control socket.

mod bad_input;
mod control_socket;
mod faults;
mod people;

use domain::TenantId;
use domain::identity::roles::Role;
use sandbox::Reply;
use serde_json::{Value, json};
use testkit::database::TestDb;
use testkit::network::NetworkSettings;
use testkit::world::{Answer, OnWorld};
use testkit::{Engine, World};

const SANDBOX: &str = "/api/ext/v3/sandbox";
/// The number of the sandbox's first person.
const ADA: &str = "14155550132";

/// A tenant with a sandbox; the token is that of a developer who drives it.
async fn driver(engine: Engine) -> World {
    // The sandbox posts for all tenants, so each test has a database of its own.
    let mut world = World::with_network(TestDb::alone(engine).await, NetworkSettings::default()).await;
    world.token = developer(&world, world.tenant()).await;
    world
}

trait Driving: OnWorld {
    async fn attempt(self, method: &str, path: &str, body: &Value) -> Answer {
        self.call(method, &format!("{SANDBOX}/{path}"), body).await
    }

    async fn read(self, path: &str) -> Value {
        self.get(&format!("{SANDBOX}/{path}")).await.ok()
    }

    async fn act(self, path: &str, body: Value) -> Value {
        self.attempt("POST", path, &body).await.ok()
    }

    /// Makes a request to the sandbox's Graph server as the business's client does.
    async fn ask_graph(self, path: &str, body: Value) -> Value {
        let channel = self.channel();
        let path = path.replace("{number}", &channel.phone_number_id).replace("{account}", &channel.account_id);
        let request = axum::http::Request::post(format!("http://sandbox.test/v23.0/{path}"))
            .header("authorization", format!("Bearer {}", *self.secrets().access_token))
            .header("content-type", "application/json");
        let request = request.body(channels::transport::full(body.to_string())).unwrap();
        let Reply::Answer(answer) = self.sandbox().graph(request).await else { panic!("reset") };
        let (head, body) = answer.into_parts();
        let bytes = channels::transport::collect(body, 1 << 20).await.unwrap();
        assert_eq!(head.status, 200, "{}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Sends a message of the business to the first person and returns its id, a minute later by the clock.
    async fn business_sends(self, kind: &str, content: Value) -> String {
        let message = json!({"messaging_product": "whatsapp", "to": ADA, "type": kind, kind: content});
        let sent = self.ask_graph("{number}/messages", message).await;
        self.advance(60);
        sent["messages"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Lets the sandbox post what is due, and returns all bodies in the journal of the channel.
    async fn journalled(self) -> Vec<Value> {
        self.sandbox().post_due().await.unwrap();
        let (tenant, channel) = (self.tenant(), self.channel().id);
        let entries = store::messaging::inbound::next(self.app.db(), tenant, channel, 1_000).await.unwrap();
        entries.iter().map(|entry| serde_json::from_slice(&entry.body).unwrap()).collect()
    }
}

impl Driving for &World {}

async fn developer(app: &World, tenant: TenantId) -> String {
    let email = format!("dev-{}@example.com", domain::AccountId::new(app.now()));
    app.account(tenant, &email, Role::Developer).await;
    app.app.identity().tokens().legacy(&app::Command(tenant), &email).await.unwrap()
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
