//! The JSON of each message type.

use channels::graph::*;
use serde_json::{Value, json};

pub fn outgoing(content: Content) -> Outgoing {
    let recipient = Recipient::Phone("491701234567".to_owned());
    Outgoing { recipient, content, reply_to: None, callback_data: None }
}

/// Asserts that the request with this content is complete, and has `expected` under the content's type.
pub fn assert_request(content: Content, expected: Value) {
    let kind = content.kind();
    let mut whole = json!({
        "messaging_product": "whatsapp", "recipient_type": "individual", "to": "491701234567", "type": kind,
    });
    whole[kind] = expected;
    assert_eq!(serde_json::to_value(outgoing(content)).unwrap(), whole);
}

pub fn id(id: &str) -> MediaRef {
    MediaRef::Id(id.to_owned())
}

pub fn link(link: &str) -> MediaRef {
    MediaRef::Link(link.to_owned())
}

#[test]
fn recipients_and_context() {
    let message = Outgoing {
        recipient: Recipient::Bsuid("US.13491208655302741918".to_owned()),
        content: Content::text("Hello"),
        reply_to: Some("wamid.HBg".to_owned()),
        callback_data: Some("m-17".to_owned()),
    };
    let expected = json!({
        "messaging_product": "whatsapp", "recipient_type": "individual", "recipient": "US.13491208655302741918",
        "context": {"message_id": "wamid.HBg"}, "type": "text", "text": {"body": "Hello", "preview_url": false},
        "biz_opaque_callback_data": "m-17",
    });
    assert_eq!(serde_json::to_value(message).unwrap(), expected);
}

#[test]
fn text() {
    let text = Text { body: "See https://example.com".to_owned(), preview_url: true };
    assert_request(Content::Text(text), json!({"body": "See https://example.com", "preview_url": true}));
}

#[test]
fn media() {
    let url = "https://example.com/a.jpg";
    let captioned = |source, caption: Option<&str>| Captioned { source, caption: caption.map(str::to_owned) };
    assert_request(Content::Image(captioned(id("17"), Some("A cat"))), json!({"id": "17", "caption": "A cat"}));
    assert_request(Content::Video(captioned(link(url), None)), json!({"link": url}));
    assert_request(Content::Audio(id("18")), json!({"id": "18"}));
    assert_request(Content::Sticker(link(url)), json!({"link": url}));
    let caption = Some("Yours".to_owned());
    let document = Document { source: id("19"), caption, filename: Some("bill.pdf".to_owned()) };
    assert_request(Content::Document(document), json!({"id": "19", "caption": "Yours", "filename": "bill.pdf"}));
}

#[test]
fn location() {
    let place = Location {
        latitude: 37.483_307,
        longitude: -122.148_981,
        name: Some("Pablo Morales".to_owned()),
        address: Some("1 Hacker Way".to_owned()),
    };
    let expected = json!({
        "latitude": "37.483307", "longitude": "-122.148981", "name": "Pablo Morales", "address": "1 Hacker Way",
    });
    assert_request(Content::Location(place), expected);
}

#[test]
fn reaction() {
    let reaction = Reaction { message_id: "wamid.HBg".to_owned(), emoji: "👍".to_owned() };
    assert_request(Content::Reaction(reaction), json!({"message_id": "wamid.HBg", "emoji": "👍"}));
}

#[test]
fn contacts() {
    let text = |text: &str| Some(text.to_owned());
    let card = Card {
        name: CardName { formatted_name: "Ada Lovelace".to_owned(), first_name: text("Ada"), ..CardName::default() },
        phones: vec![CardPhone { phone: "+16505551234".to_owned(), kind: text("WORK"), wa_id: text("16505551234") }],
        emails: vec![CardEmail { email: "ada@example.com".to_owned(), kind: text("HOME") }],
        urls: vec![CardUrl { url: "https://example.com".to_owned(), kind: None }],
        addresses: vec![CardAddress { city: text("London"), country_code: text("gb"), ..CardAddress::default() }],
        org: Some(CardOrg { company: text("Engines"), ..CardOrg::default() }),
        birthday: text("1815-12-10"),
    };
    let expected = json!([{
        "name": {"formatted_name": "Ada Lovelace", "first_name": "Ada"},
        "phones": [{"phone": "+16505551234", "type": "WORK", "wa_id": "16505551234"}],
        "emails": [{"email": "ada@example.com", "type": "HOME"}], "urls": [{"url": "https://example.com"}],
        "addresses": [{"city": "London", "country_code": "gb"}], "org": {"company": "Engines"},
        "birthday": "1815-12-10",
    }]);
    assert_request(Content::Contacts(vec![card]), expected);
}
