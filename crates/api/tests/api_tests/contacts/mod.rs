//! Contacts over the wire, in both versions, on both databases.

mod bad_input;
mod segments;
mod targets;
mod tenants;
mod v1;
mod v3;
mod v3_more;

use serde_json::{Value, json};
use testkit::World;
use testkit::world::Answer;

const CONTACTS: &str = "/api/ext/v3/contacts";

/// Creates a contact with V3 and returns it.
async fn make(app: &World, token: &str, number: &str, name: &str, params: &[(&str, &str)]) -> Value {
    let params: Vec<_> = params.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    let body = json!({"whatsapp_number": number, "name": name, "custom_params": params});
    app.by(token).post(CONTACTS, &body).await.ok()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap()
}

/// The names of the contacts in a V3 list.
fn listed(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let list = answer.json()["contact_list"].as_array().unwrap().clone();
    list.iter().map(|contact| text(contact, "name").to_owned()).collect()
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, parameter: &str) {
    assert_eq!(answer.status, status, "{parameter}: {}", answer.text);
    assert_eq!(answer.json()["parameter"], parameter, "{}", answer.text);
}

/// Replaces ids and times, which differ from run to run.
fn normalized(mut value: Value) -> Value {
    normalize(&mut value);
    value
}

const IDS: [&str; 7] = ["id", "contact_id", "kept_id", "merged_id", "segment_id", "bsuid", "parentBsuid"];
const TIMES: [&str; 10] = [
    "created",
    "lastUpdated",
    "last_updated",
    "first_seen",
    "last_seen",
    "at",
    "merged_at",
    "undone_at",
    "next_cursor",
    "timestamp",
];

fn normalize(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(normalize),
        Value::Object(members) => {
            let random = matches!(members.get("kind").and_then(Value::as_str), Some("id" | "bsuid"));
            for (name, value) in members.iter_mut() {
                let varies =
                    IDS.contains(&name.as_str()) || TIMES.contains(&name.as_str()) || (random && name == "value");
                match value {
                    Value::String(text) if varies => *text = format!("[{name}]"),
                    Value::Array(ids) if name == "teamIds" => ids.iter_mut().for_each(|id| *id = "[id]".into()),
                    other => normalize(other),
                }
            }
        }
        _ => {}
    }
}

fn encoded(value: &Value) -> String {
    let hex = |out: String, byte: u8| out + &format!("%{byte:02x}");
    value.to_string().bytes().fold(String::new(), hex)
}
