//! Templates over the wire, in three versions, on both databases, with the sandbox as the network.

#[path = "../../../../domain/tests/domain_tests/templates/bad.rs"]
mod bad;
mod bad_input;
mod legacy;
mod v3;
mod wire;

use serde_json::Value;
use testkit::database::TestDb;
use testkit::network::NetworkSettings;
use testkit::{Engine, World};

const TEMPLATES: &str = "/api/ext/v3/messageTemplates";

/// An application with the sandbox on a database of its own, because a sandbox posts for all tenants.
async fn alone(engine: Engine) -> World {
    World::with_network(TestDb::alone(engine).await, NetworkSettings::default()).await
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
