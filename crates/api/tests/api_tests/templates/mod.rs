//! Templates over the wire, in three versions, on both databases, with the sandbox as the network.

#[path = "../../../../domain/tests/domain_tests/templates/bad.rs"]
mod bad;
mod bad_input;
mod legacy;
mod v3;
mod wire;

use axum::body::Body;
use serde_json::Value;
use testkit::application::{Answer, TestApp, request};
use testkit::database::TestDb;

const TEMPLATES: &str = "/api/ext/v3/messageTemplates";

async fn delete(app: &TestApp, token: &str, path: &str) -> Answer {
    app.send(request("DELETE", path, Some(token)).body(Body::empty()).unwrap()).await
}

/// An application with the sandbox on a database of its own, because a sandbox posts for all tenants.
async fn alone(test: &TestDb) -> TestApp {
    TestApp::with_sandbox(TestDb::alone(test.db.engine()).await).await
}

/// Lets the sandbox post its verdicts on templates, and applies them.
async fn reviewed(app: &TestApp) {
    app.test.clock.advance(std::time::Duration::from_secs(3));
    app.sandbox.as_ref().unwrap().post_due().await.unwrap();
    app.app.process_inbound(&|| false).await.unwrap();
}

/// Replaces ids and times, which differ from run to run.
fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, replace)
}

fn replace(name: &str, value: &mut Value) -> bool {
    match value {
        Value::String(text) if ["id", "last_modified", "lastModified"].contains(&name) => *text = format!("[{name}]"),
        Value::Array(ids) if name == "ids" => ids.iter_mut().for_each(|id| *id = "[id]".into()),
        Value::String(text) if name.ends_with("Page") => *text = hidden_tenant(text),
        _ => return false,
    }
    true
}

fn hidden_tenant(path: &str) -> String {
    let (_, rest) = path[1..].split_once('/').unwrap();
    format!("/[tenant]/{rest}")
}
