//! Messages of every type, and their senders.

use channels::webhook::{Message, Notification, Person};
use serde_json::{Value, json};

use super::bodies::{messages, text_message};
use super::{only_of, record, seconds};

fn message(name: &str) -> Message {
    match record(name).notification {
        Notification::Message(message) => *message,
        other => panic!("{name}: {other:?}"),
    }
}

fn ada() -> Person {
    Person {
        wa_id: Some("14155552671".to_owned()),
        user_id: Some("US.13491208655302741918".to_owned()),
        name: Some("Ada Lovelace".to_owned()),
        ..Person::default()
    }
}

#[test]
fn a_text_with_everything_around_it() {
    let record = record("message_text");
    assert_eq!((record.account_id.as_str(), record.field.as_str()), ("330440550660770", "messages"));
    let number = record.number.unwrap();
    assert_eq!(number.phone_number_id, "500100200300400");
    assert_eq!(number.display_phone_number.as_deref(), Some("14155550100"));
    let message = message("message_text");
    assert_eq!(message.from, ada());
    assert_eq!((message.kind.as_str(), message.at), ("text", seconds(1_776_160_861)));
    assert_eq!(message.text.as_deref(), Some("Does the blue one come with a lid?"));
    assert_eq!((message.context, message.media, message.payload), (None, None, None));
    let content: Value = serde_json::from_str(&message.content).unwrap();
    assert_eq!(content["id"], message.id);
}

#[test]
fn a_person_without_a_number_is_known_by_bsuid_and_username() {
    let from = message("message_text_username").from;
    assert_eq!(from.wa_id, None);
    assert_eq!(from.user_id.as_deref(), Some("US.20719906280354112233"));
    assert_eq!(from.parent_user_id.as_deref(), Some("US.ENT.11815799212886844830"));
    assert_eq!(from.username.as_deref(), Some("grace.hopper"));
}

#[test]
fn each_type_has_a_text() {
    let cases = [
        ("message_image", "image", Some("This is the dent")),
        ("message_video", "video", Some("It drips here")),
        ("message_audio_voice", "audio", None),
        ("message_document", "document", Some("The invoice")),
        ("message_sticker", "sticker", None),
        ("message_location", "location", None),
        ("message_contacts", "contacts", None),
        ("message_button", "button", Some("Cancel the order")),
        ("message_button_reply", "interactive", Some("In the morning")),
        ("message_list_reply", "interactive", Some("Express")),
        ("message_nfm_reply", "interactive", Some("Sent")),
        ("message_call_permission_reply", "interactive", Some("accept")),
        ("message_order", "order", Some("As a present, please")),
        ("message_reaction", "reaction", Some("👍")),
        ("message_reaction_removed", "reaction", None),
        ("message_unsupported", "unsupported", None),
        ("message_request_welcome", "request_welcome", None),
        ("message_edit", "edit", Some("Two lids, please")),
        ("message_revoke", "revoke", None),
        ("message_new_type", "hologram", None),
        ("system_identity", "system", Some("Ada Lovelace changed their security code")),
    ];
    for (name, kind, text) in cases {
        let message = message(name);
        assert_eq!((message.kind.as_str(), message.text.as_deref()), (kind, text), "{name}");
    }
}

#[test]
fn media_have_what_a_download_needs() {
    let document = message("message_document").media.unwrap();
    assert_eq!(document.id, "1003383421387004");
    assert_eq!(document.filename.as_deref(), Some("invoice-2026-04.pdf"));
    assert_eq!(document.mime_type.as_deref(), Some("application/pdf"));
    assert!(document.sha256.is_some() && !document.voice);
    assert!(message("message_audio_voice").media.unwrap().voice);
}

#[test]
fn taps_carry_the_payload() {
    let payload = |name| message(name).payload.unwrap();
    assert_eq!(payload("message_button"), "order:17:cancel");
    assert_eq!(payload("message_button_reply"), "slot-am");
    assert_eq!(payload("message_list_reply"), "express");
    assert!(payload("message_nfm_reply").contains("booking-81"));
}

#[test]
fn what_a_message_refers_to() {
    let reply = message("message_text_reply").context.unwrap();
    assert!(reply.id.unwrap().starts_with("wamid."));
    assert_eq!(reply.from.as_deref(), Some("14155550100"));
    let forwarded = message("message_text_forwarded").context.unwrap();
    assert!(forwarded.forwarded && forwarded.frequently_forwarded && forwarded.id.is_none());
    for name in ["message_reaction", "message_reaction_removed", "message_edit", "message_revoke"] {
        assert!(message(name).target.unwrap().starts_with("wamid."), "{name}");
    }
    assert!(message("message_group").group_id.is_some());
    assert_eq!(message("message_unsupported").error.unwrap().code, 131_051);
}

#[test]
fn content_is_the_message_as_it_was_posted() {
    for (name, inside) in [("message_text_ad", "ctwa_clid"), ("message_text_product", "referred_product")] {
        assert!(message(name).content.contains(inside), "{name}");
    }
}

/// The name of a message's sender, given the contacts of the change.
fn name_of(contacts: &Value, mut from: Value) -> Option<String> {
    let mut message = text_message("wamid.1");
    message.as_object_mut().unwrap().remove("from");
    message.as_object_mut().unwrap().append(from.as_object_mut().unwrap());
    match only_of(&messages(&[message], contacts)).notification {
        Notification::Message(message) => message.from.name,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_takes_the_contact_that_it_is_from() {
    let [ada, grace] = [("Ada", "1", "US.1"), ("Grace", "2", "US.2")]
        .map(|(name, wa_id, user_id)| json!({"profile": {"name": name}, "wa_id": wa_id, "user_id": user_id}));
    let both = json!([ada, grace]);
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(name_of(&both, json!({"from": "2"})), named("Grace"));
    assert_eq!(name_of(&both, json!({"from_user_id": "US.1"})), named("Ada"));
    assert_eq!(name_of(&both, json!({"from": "+2"})), named("Grace"));
    // A match by the BSUID is preferred to one by the number, because the BSUID is more stable.
    assert_eq!(name_of(&both, json!({"from": "1", "from_user_id": "US.2"})), named("Grace"));
    assert_eq!(name_of(&both, json!({"from": "3"})), None);
    // A single contact is taken without a match, unless its ids contradict the message.
    assert_eq!(name_of(&json!([{"profile": {"name": "Ada"}, "user_id": "US.1"}]), json!({"from": "1"})), named("Ada"));
    assert_eq!(name_of(&json!([ada]), json!({"from": "3"})), None);
    assert_eq!(name_of(&json!([ada]), json!({"from": "1", "from_user_id": "US.9"})), None);
    assert_eq!(name_of(&json!([ada]), json!({})), named("Ada"));
    // A malformed contact does not affect the message.
    assert_eq!(name_of(&json!([17, {"profile": [], "wa_id": {}}, ada]), json!({"from": "1"})), named("Ada"));
    assert_eq!(name_of(&json!("nobody"), json!({"from": "1"})), None);
}

#[test]
fn a_username_may_stand_beside_the_profile() {
    let contacts = json!([{"wa_id": "14155552671", "username": "ada"}]);
    match only_of(&messages(&[text_message("wamid.1")], &contacts)).notification {
        Notification::Message(message) => assert_eq!(message.from.username.as_deref(), Some("ada")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn debug_omits_message_texts() {
    for name in ["message_text", "message_button", "message_nfm_reply"] {
        let shown = format!("{:?}", record(name));
        for secret in ["blue one", "Cancel the order", "booking-81"] {
            assert!(!shown.contains(secret), "{name}: {shown}");
        }
    }
}
