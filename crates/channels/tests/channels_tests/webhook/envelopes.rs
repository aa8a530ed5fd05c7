//! The envelope of a record parses to the same record.

use channels::webhook::{Notification, Record, parse};
use serde_json::json;

use super::bodies::{messages, text_message};
use super::{only, samples};

#[test]
fn every_sample_reads_the_same_in_its_envelope() {
    let mut seen = 0;
    for (name, body) in samples() {
        for record in parse(&body).unwrap() {
            assert!(!matches!(record.notification, Notification::Poison { .. }), "{name}: {record:?}");
            assert_eq!(only(record.envelope().as_bytes()), record, "{name}");
            seen += 1;
        }
    }
    assert!(seen > 65, "{seen} records");
}

#[test]
fn a_batch_is_taken_apart() {
    let records = parse(&super::sample("batch")).unwrap();
    let names: Vec<_> = records
        .iter()
        .map(|record| match &record.notification {
            Notification::Message(message) => message.from.name.clone().unwrap(),
            Notification::Status(status) => status.reported.clone(),
            Notification::TemplateStatus(status) => status.event.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["Ada Lovelace", "Grace Hopper", "read", "APPROVED"]);
}

#[test]
fn an_envelope_holds_one_message_only() {
    let contacts =
        json!([{"wa_id": "14155552671", "profile": {"name": "Ada"}}, {"wa_id": "2", "profile": {"name": "B"}}]);
    let mut other = text_message("wamid.other");
    other["from"] = "2".into();
    let records = parse(messages(&[text_message("wamid.own"), other], &contacts).to_string().as_bytes()).unwrap();
    let own = records[0].envelope();
    assert!(own.contains("wamid.own") && own.contains("Ada"));
    assert!(!own.contains("wamid.other") && !own.contains("\"B\""), "{own}");
}

/// The reason names the path in the body that was parsed: the original body, or the envelope of the record.
#[test]
fn a_poison_keeps_its_text_and_its_reason_but_for_the_place() {
    let mut broken = text_message("wamid.3");
    broken["timestamp"] = "soon".into();
    let contacts = json!([{"wa_id": "14155552671", "profile": {"name": "Ada"}}]);
    let body = messages(&[text_message("wamid.1"), text_message("wamid.2"), broken.clone()], &contacts).to_string();
    let record: Record = parse(body.as_bytes()).unwrap().pop().unwrap();
    let again = only(record.envelope().as_bytes());
    assert!(super::reason(&record).starts_with("entry[0].changes[0].value.messages[2].timestamp: expected"));
    assert!(super::reason(&again).starts_with("entry[0].changes[0].value.messages[0].timestamp: expected"));
    assert_eq!(again.envelope(), record.envelope());
    // The envelope with the corrected time parses to the message, with its contact.
    let mended = record.envelope().replace("\"soon\"", "\"1776160861\"");
    match only(mended.as_bytes()).notification {
        Notification::Message(message) => assert_eq!(message.from.name.as_deref(), Some("Ada")),
        other => panic!("{other:?}"),
    }
}
