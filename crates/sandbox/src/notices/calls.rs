//! Notices about calls: connect, status, terminate.

use domain::Timestamp;
use serde_json::{Map, Value, json};

use super::{WebhookContact, insert_some, value};
use crate::core::records::Call;
use crate::{Change, NumberMetadata};

/// Notice that a person calls (`session` is an `offer`), or has answered the business's call (an `answer`).
pub fn connect(
    number: &NumberMetadata,
    person: &WebhookContact,
    call: &Call,
    at: Timestamp,
    session: Option<Session<'_>>,
) -> Change {
    let mut report = about(number, person, call, "connect", at);
    insert_some(&mut report, "session", session.map(|session| json!({ "sdp_type": session.kind, "sdp": session.sdp })));
    Change::new("calls", value(number, Some(person), "calls", json!([report])))
}

#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// `offer` or `answer`.
    pub kind: &'a str,
    pub sdp: &'a str,
}

/// Notice that a call ended, answered or not.
pub fn terminate(
    number: &NumberMetadata,
    person: &WebhookContact,
    call: &Call,
    at: Timestamp,
    errors: Vec<Value>,
) -> Change {
    let mut report = about(number, person, call, "terminate", at);
    let talked_from = call.answered_at.filter(|answered| *answered <= at);
    let completed = talked_from.is_some() && errors.is_empty();
    report.insert("status".to_owned(), json!(if completed { "COMPLETED" } else { "FAILED" }));
    if let Some(from) = talked_from {
        report.insert("start_time".to_owned(), json!(from.seconds().to_string()));
        report.insert("end_time".to_owned(), json!(at.seconds().to_string()));
        report.insert("duration".to_owned(), json!(at.seconds_since(from)));
    }
    insert_some(&mut report, "errors", (!errors.is_empty()).then_some(Value::Array(errors)));
    Change::new("calls", value(number, Some(person), "calls", json!([report])))
}

/// Notice of the status of the business's call: `RINGING`, `ACCEPTED`, `REJECTED`.
pub fn status(number: &NumberMetadata, person: &WebhookContact, call: &Call, status: &str, at: Timestamp) -> Change {
    let mut report = Map::new();
    report.insert("id".to_owned(), json!(call.id));
    report.insert("type".to_owned(), json!("call"));
    report.insert("status".to_owned(), json!(status));
    report.insert("timestamp".to_owned(), json!(at.seconds().to_string()));
    insert_some(&mut report, "recipient_id", person.wa_id.as_deref());
    insert_some(&mut report, "recipient_user_id", person.user_id.as_deref());
    insert_some(&mut report, "biz_opaque_callback_data", call.callback_data.as_deref());
    Change::new("calls", value(number, Some(person), "statuses", json!([report])))
}

fn about(
    number: &NumberMetadata,
    person: &WebhookContact,
    call: &Call,
    event: &str,
    at: Timestamp,
) -> Map<String, Value> {
    let business = Some(number.display_phone_number.as_str());
    let outgoing = call.direction == "BUSINESS_INITIATED";
    let (from, to) = if outgoing { (business, person.wa_id.as_deref()) } else { (person.wa_id.as_deref(), business) };
    let person_member = if outgoing { "to_user_id" } else { "from_user_id" };
    let mut report = Map::new();
    report.insert("id".to_owned(), json!(call.id));
    insert_some(&mut report, "from", from);
    insert_some(&mut report, "to", to);
    insert_some(&mut report, person_member, person.user_id.as_deref());
    report.insert("event".to_owned(), json!(event));
    report.insert("direction".to_owned(), json!(call.direction));
    report.insert("timestamp".to_owned(), json!(at.seconds().to_string()));
    insert_some(&mut report, "biz_opaque_callback_data", call.callback_data.as_deref());
    report
}
