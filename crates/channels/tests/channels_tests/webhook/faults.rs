//! Malformed bodies: one fault is one poison record, and the rest is parsed.

use channels::webhook::{MAX_RECORDS, Notification, Unreadable, parse};
use serde_json::{Value, json};

use super::bodies::{change, messages, text_message};
use super::{only, only_of, reason};

fn unreadable(body: &[u8]) -> String {
    let Err(Unreadable(reason)) = parse(body) else { panic!("was read") };
    reason
}

/// The reason of the poison record of a message whose `member` has this value.
fn refused(member: &str, value: Value) -> String {
    let mut message = text_message("wamid.1");
    message[member] = value;
    reason(&only_of(&messages(&[message], &json!([])))).to_owned()
}

#[test]
fn bodies_that_are_no_webhook() {
    assert_eq!(unreadable(b""), "not JSON: line 1 column 0");
    assert_eq!(unreadable(b"[]"), "expected an object");
    assert_eq!(unreadable(b"\xff\xfe{}"), "not UTF-8");
    assert_eq!(unreadable(b"{}"), "object: expected whatsapp_business_account");
    assert_eq!(unreadable(br#"{"object":"page","entry":[]}"#), "object: expected whatsapp_business_account");
    assert_eq!(unreadable(br#"{"object":"whatsapp_business_account"}"#), "entry: expected a list");
    assert_eq!(unreadable(br#"{"object":"whatsapp_business_account","entry":{}}"#), "entry: expected a list");
    assert!(unreadable(br#"{"object":"whatsapp_business_account","entry":[]} x"#).starts_with("not JSON"));
    let whole = messages(&[text_message("wamid.1")], &json!([])).to_string();
    for end in 0..whole.len() {
        assert!(parse(&whole.as_bytes()[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn one_bad_message_in_fifty_is_one_poison() {
    let mut batch: Vec<Value> = (0..50).map(|n| text_message(&format!("wamid.{n}"))).collect();
    batch[3]["timestamp"] = json!({"seconds": 5});
    let records = parse(messages(&batch, &json!([])).to_string().as_bytes()).unwrap();
    assert_eq!(records.len(), 50);
    assert_eq!(
        reason(&records[3]),
        "entry[0].changes[0].value.messages[3].timestamp: expected seconds since 1970, between 2009 and 2100"
    );
    let read = records.iter().filter(|record| matches!(record.notification, Notification::Message(_))).count();
    assert_eq!(read, 49);
}

#[test]
fn malformed_entries_changes_and_lists() {
    let body = json!({"object": "whatsapp_business_account", "entry": [
        17,
        {"id": "1"},
        {"id": {}, "changes": []},
        {"id": "2", "changes": [null, {"value": {}}, {"field": "messages", "value": []},
            {"field": "messages", "value": {"messages": {"0": 1}, "statuses": [5]}}]},
        {"id": "3", "changes": [{"field": "messages", "value": {"messages": [text_message("wamid.1")]}}]},
    ]});
    let records = parse(body.to_string().as_bytes()).unwrap();
    let reasons: Vec<&str> = records[..8].iter().map(reason).collect();
    assert_eq!(
        reasons,
        [
            "entry[0]: expected an object",
            "entry[1].changes: expected a list",
            "entry[2].id: expected text of at most 512 bytes",
            "entry[3].changes[0]: expected an object",
            "entry[3].changes[1].field: expected text",
            "entry[3].changes[2].value: expected an object",
            "entry[3].changes[3].value.messages: expected a list",
            "entry[3].changes[3].value.statuses[0]: expected an object",
        ]
    );
    assert!(matches!(records[8].notification, Notification::Message(_)));
    assert_eq!((records[8].account_id.as_str(), records.len()), ("3", 9));
    for record in &records[..8] {
        assert_eq!(only(record.envelope().as_bytes()).envelope(), record.envelope());
    }
}

#[test]
fn required_members() {
    let place = "entry[0].changes[0].value.messages[0]";
    let time = "expected seconds since 1970, between 2009 and 2100";
    for odd in [json!("0"), json!(-1), json!("99999999999999999999"), json!(1e300), json!(""), json!(null)] {
        assert_eq!(refused("timestamp", odd.clone()), format!("{place}.timestamp: {time}"), "{odd}");
    }
    assert_eq!(refused("id", json!("x".repeat(513))), format!("{place}.id: expected at most 512 characters"));
    assert_eq!(refused("id", json!([])), format!("{place}.id: expected text"));
    assert_eq!(refused("id", json!("")), format!("{place}.id: expected text"));
    assert_eq!(refused("type", json!(null)), format!("{place}.type: expected text"));
    assert_eq!(refused("from", json!(null)), format!("{place}.from: expected a phone number, or from_user_id"));
    assert_eq!(
        refused("context", json!({"id": "x".repeat(600)})),
        format!("{place}.context.id: expected at most 512 characters")
    );
}

#[test]
fn numbers_for_text_and_text_for_numbers() {
    let mut message = text_message("wamid.1");
    message["from"] = json!(14_155_552_671_i64);
    message["timestamp"] = json!(1_776_160_861);
    message["text"]["body"] = json!(42);
    match only_of(&messages(&[message], &json!([]))).notification {
        Notification::Message(message) => {
            assert_eq!(message.from.wa_id.as_deref(), Some("14155552671"));
            assert_eq!(message.text.as_deref(), Some("42"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn optional_members_may_have_any_form() {
    let mut message = text_message("wamid.1");
    for member in ["text", "context", "referral", "errors", "identity", "surprise"] {
        message[member] = json!([[], 7, {"deep": [null]}]);
    }
    match only_of(&messages(&[message], &json!({}))).notification {
        Notification::Message(message) => assert_eq!((message.text, message.context), (None, None)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nul_characters_and_lone_surrogates_become_a_replacement_character() {
    let mut body =
        messages(&[text_message("wamid.1")], &json!([{"wa_id": "14155552671", "profile": {"name": "NAME"}}]))
            .to_string();
    body = body.replace("Hello", r"a\u0000b\ud800c\udc00\ud83d\udc4d\\u0000").replace("NAME", r"A\u0000da");
    let record = only(body.as_bytes());
    match &record.notification {
        Notification::Message(message) => {
            assert_eq!(message.text.as_deref(), Some("a\u{fffd}b\u{fffd}c\u{fffd}👍\\u0000"));
            assert_eq!(message.from.name.as_deref(), Some("A\u{fffd}da"));
            let content: Value = serde_json::from_str(&message.content).unwrap();
            assert_eq!(content["text"]["body"], message.text.clone().unwrap());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(only(record.envelope().as_bytes()), record);
}

#[test]
fn of_repeated_members_the_last_counts() {
    let message = r#"{"id":"first","id":"last","from":"1","timestamp":"1776160861","type":"text","text":{"body":"x"}}"#;
    let body = format!(
        r#"{{"object":"page","object":"whatsapp_business_account","entry":[{{"id":"1","changes":[
        {{"field":"x","field":"messages","value":{{}},"value":{{"messages":[],"messages":[{message}]}}}}]}}]}}"#
    );
    match only(body.as_bytes()).notification {
        Notification::Message(message) => assert_eq!(message.id, "last"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let body = |place: &str| {
        let mut message = text_message("wamid.deep");
        message["extra"] = "DEEP".into();
        let message = if place == "message" { message } else { text_message("wamid.flat") };
        let mut body = messages(&[message, text_message("wamid.2")], &json!([]));
        match place {
            "value" => body["entry"][0]["changes"][0]["value"]["extra"] = "DEEP".into(),
            "contacts" => body["entry"][0]["changes"][0]["value"]["contacts"] = "DEEP".into(),
            "metadata" => body["entry"][0]["changes"][0]["value"]["metadata"] = "DEEP".into(),
            "change" => body["entry"][0]["changes"][0]["extra"] = "DEEP".into(),
            "entry" => body["entry"][0]["time"] = "DEEP".into(),
            _ => {}
        }
        body.to_string().replace("\"DEEP\"", &deep)
    };
    let records = parse(body("message").as_bytes()).unwrap();
    assert_eq!(reason(&records[0]), "entry[0].changes[0].value.messages[0]: nested too deeply");
    assert!(matches!(records[1].notification, Notification::Message(_)));
    // Deep nesting in parts next to the messages is ignored.
    for place in ["value", "contacts", "metadata", "change", "entry"] {
        let records = parse(body(place).as_bytes()).unwrap();
        assert!(records.iter().all(|record| matches!(record.notification, Notification::Message(_))), "{place}");
    }
    let unknown = change("account_alerts", &json!({"extra": "DEEP"})).to_string().replace("\"DEEP\"", &deep);
    assert_eq!(reason(&only(unknown.as_bytes())), "entry[0].changes[0].value: nested too deeply");
    assert_eq!(unreadable(&vec![b'['; 3_000_000]), "expected an object");
    assert!(unreadable(format!(r#"{{"object":{}"#, "[".repeat(3_000_000)).as_bytes()).starts_with("not JSON"));
}

#[test]
fn numbers_out_of_range_poison_their_message_only() {
    let body = messages(&[text_message("wamid.1"), text_message("wamid.2")], &json!([])).to_string();
    let records = parse(body.replacen("\"Hello\"", "1e999", 1).as_bytes()).unwrap();
    assert_eq!(reason(&records[0]), "entry[0].changes[0].value.messages[0]: holds a number that is out of range");
    assert!(matches!(records[1].notification, Notification::Message(_)));
}

#[test]
fn too_many_records_are_refused_as_a_whole() {
    let batch = |count: usize| {
        let batch: Vec<Value> = (0..count).map(|n| text_message(&format!("wamid.{n}"))).collect();
        messages(&batch, &json!([])).to_string()
    };
    assert_eq!(parse(batch(MAX_RECORDS).as_bytes()).unwrap().len(), MAX_RECORDS);
    assert_eq!(unreadable(batch(MAX_RECORDS + 1).as_bytes()), "too many records");
    let nothings = format!(r#"{{"object":"whatsapp_business_account","entry":[{}0]}}"#, "0,".repeat(MAX_RECORDS));
    assert_eq!(unreadable(nothings.as_bytes()), "too many records");
}

/// Contacts and numbers are repeated in every record: long ones must not multiply the size of a body.
#[test]
fn shared_members_are_bounded() {
    let batch: Vec<Value> = (0..50).map(|n| text_message(&format!("wamid.{n}"))).collect();
    let contacts = json!([{"wa_id": "14155552671", "profile": {"name": "ñ".repeat(100_000)}}]);
    let mut body = messages(&batch, &contacts);
    body["entry"][0]["changes"][0]["value"]["metadata"]["display_phone_number"] = "9".repeat(100_000).into();
    for record in parse(body.to_string().as_bytes()).unwrap() {
        assert!(record.envelope().len() < 2000);
        assert_eq!(only(record.envelope().as_bytes()), record);
    }
}

#[test]
fn a_reason_never_quotes_what_was_written() {
    let mut message = text_message("wamid.1");
    message["text"]["body"] = "my secret".into();
    message["timestamp"] = "my secret".into();
    let record = only_of(&messages(&[message], &json!([])));
    assert!(!format!("{record:?}").contains("secret"));
}
