//! Plain contents, to a phone number and to a BSUID.

use channels::graph::*;
use serde_json::json;

use super::on_both_sides;
use super::world::{ADA, DEEPA, Network, ada, text};

fn link(name: &str) -> MediaRef {
    MediaRef::Link(format!("https://shop.example/{name}"))
}

fn card() -> Card {
    Card {
        name: CardName { formatted_name: "Ada Lovelace".to_owned(), first_name: text("Ada"), ..CardName::default() },
        phones: vec![CardPhone { phone: "+16505551234".to_owned(), kind: text("WORK"), wa_id: text("16505551234") }],
        emails: vec![CardEmail { email: "ada@example.com".to_owned(), kind: text("HOME") }],
        urls: vec![CardUrl { url: "https://example.com".to_owned(), kind: None }],
        addresses: vec![CardAddress { city: text("London"), country_code: text("gb"), ..CardAddress::default() }],
        org: Some(CardOrg { company: text("Engines"), ..CardOrg::default() }),
        birthday: text("1815-12-10"),
    }
}

async fn uploaded(network: &Network, mime: &str) -> MediaRef {
    let bytes = format!("some {mime}");
    let length = bytes.len() as u64;
    let id = network.graph.upload(mime, "file", length, channels::transport::full(bytes)).await;
    MediaRef::Id(id.unwrap())
}

/// Each content, and its text on the phone.
async fn contents(network: &Network, theirs: &str) -> Vec<(Content, &'static str)> {
    let captioned = |source, caption: &str| Captioned { source, caption: text(caption) };
    let document = |source| Document { source, caption: text("A bill"), filename: text("bill.pdf") };
    let place = Location { latitude: 52.52, longitude: -13.405, name: text("Here"), address: text("1 Way") };
    let reaction = |emoji: &str| Reaction { message_id: theirs.to_owned(), emoji: emoji.to_owned() };
    vec![
        (
            Content::Text(Text { body: "See https://example.com".to_owned(), preview_url: true }),
            "See https://example.com",
        ),
        (Content::text("Zwölf Boxkämpfer 🥊\nin two lines"), "Zwölf Boxkämpfer 🥊\nin two lines"),
        (Content::Image(captioned(link("a.png"), "A cat")), "A cat"),
        (Content::Image(captioned(uploaded(network, "image/png").await, "My cat")), "My cat"),
        (Content::Video(Captioned { source: link("a.mp4"), caption: None }), ""),
        (Content::Video(captioned(uploaded(network, "video/mp4").await, "A film")), "A film"),
        (Content::Audio(link("a.mp3")), ""),
        (Content::Audio(uploaded(network, "audio/ogg; codecs=opus").await), ""),
        (Content::Document(document(link("bill.pdf"))), "A bill"),
        (Content::Document(document(uploaded(network, "application/pdf").await)), "A bill"),
        (Content::Sticker(link("a.webp")), ""),
        (Content::Sticker(uploaded(network, "image/webp").await), ""),
        (Content::Location(place), "Here, 1 Way"),
        (Content::Contacts(vec![card()]), "Ada Lovelace"),
        (Content::Reaction(reaction("👍")), "👍"),
        (Content::Reaction(reaction("")), ""),
    ]
}

async fn sends_all(network: &Network, person: &str, recipient: &Recipient, expected: &Receiver) {
    let theirs = network.says(person).await;
    for (content, shown) in contents(network, &theirs).await {
        let kind = content.kind();
        let (reply_to, callback_data) = (Some(theirs.clone()), text("m-17"));
        let message = Outgoing { recipient: recipient.clone(), content, reply_to, callback_data };
        let sent = network.graph.send(&message).await.unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(
            (sent.contact.as_ref(), sent.message_status.as_deref()),
            (Some(expected), Some("accepted")),
            "{kind}"
        );
        assert!(sent.message_id.starts_with("wamid."), "{}", sent.message_id);
        let arrived = network.arrived(person, &sent.message_id).await;
        assert_eq!(arrived, (shown.to_owned(), json!([])), "{kind}");
    }
}

on_both_sides! {
    async fn every_plain_content_reaches_a_number(network) {
        let expected = Receiver { input: text(ADA), wa_id: text(ADA), user_id: Some(network.bsuid(ADA).await) };
        sends_all(network, ADA, &ada(), &expected).await;
    }

    async fn every_plain_content_reaches_a_person_without_a_number(network) {
        let bsuid = network.bsuid(DEEPA).await;
        let expected = Receiver { input: text(&bsuid), wa_id: None, user_id: text(&bsuid) };
        sends_all(network, DEEPA, &Recipient::Bsuid(bsuid), &expected).await;
    }

    async fn a_message_is_marked_as_read(network) {
        let theirs = network.says(ADA).await;
        network.graph.mark_read(&theirs, false).await.unwrap();
        network.graph.mark_read(&theirs, true).await.unwrap();
        let error = network.graph.mark_read("wamid.nobody", true).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "{error}");
    }
}
