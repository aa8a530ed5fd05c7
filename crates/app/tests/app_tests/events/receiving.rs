//! Events of messages that people write.

use domain::delivery::events::EventType;
use sandbox::driver::Say;
use serde_json::json;

use crate::events::log::Published as _;
use crate::sending::world::{ADA, BEN, OFFER, business};

testkit::both_databases! {
    async fn a_message_is_published_once_however_often_it_is_posted(world = business) {
        let fail = sandbox::driver::Fail {
            kind: "duplicate".to_owned(), count: Some(1), copies: Some(3), ..Default::default()
        };
        world.sandbox().fail(world.tenant(), fail).await.unwrap();
        world.say(ADA, "hello").await;
        world.later(60).await;
        assert_eq!(world.payloads_of(EventType::Message).await.len(), 1);
        assert_eq!(world.payloads_of(EventType::MessageBsuid).await.len(), 1);
    }

    async fn only_the_first_message_of_somebody_unknown_makes_a_contact_new(world = business) {
        world.say(ADA, "hello").await;
        world.say(ADA, "are you there?").await;
        // A person to whom the business wrote first is already a contact.
        world.accepted(OFFER, BEN).await;
        world.drain().await;
        world.say(BEN, "hi").await;
        let new = world.payloads_of(EventType::NewContactMessageReceived).await;
        assert_eq!(new.len(), 1);
        assert_eq!(new[0]["waId"], ADA);
        assert_eq!(world.payloads_of(EventType::NewContactMessageReceivedBsuid).await.len(), 1);
        assert_eq!(world.payloads_of(EventType::Message).await.len(), 3);
        let names: Vec<_> = world.published().await.iter().map(|event| event.kind).filter(|kind| matches!(
            kind, EventType::Message | EventType::NewContactMessageReceived
        )).collect();
        assert_eq!(names[..2], [EventType::NewContactMessageReceived, EventType::Message]);
    }

    async fn two_messages_of_a_stranger_in_one_body_make_one_contact(world = business) {
        let message = |id: &str| json!({
            "from": "4915112345678", "id": id, "timestamp": "1776000000", "type": "text", "text": {"body": id},
        });
        let messages = json!({"messages": [message("wamid.one"), message("wamid.two")]});
        world.inject("messages", world.value(&messages)).await;
        assert_eq!(world.payloads_of(EventType::Message).await.len(), 2);
        assert_eq!(world.payloads_of(EventType::NewContactMessageReceived).await.len(), 1);
    }

    async fn members_that_the_network_reports_are_passed_on(world = business) {
        let from = |id: &str, kind: &str, content: serde_json::Value| {
            let mut message = json!({"from": ADA, "id": id, "timestamp": "1776000000", "type": kind});
            message[kind] = content;
            message
        };
        let mut came = from("wamid.ad", "text", json!({"body": "more?"}));
        came["referral"] = json!({"source_url": "https://fb.me/4kettles", "source_id": "120226", "source_type": "ad"});
        let list = json!({"type": "list_reply", "list_reply": {"id": "express", "title": "Express", "description": "Soon"}});
        let button = json!({"type": "button_reply", "button_reply": {"id": "am", "title": "Morning"}});
        let mut passed = from("wamid.forwarded", "text", json!({"body": "look"}));
        passed["context"] = json!({"frequently_forwarded": true});
        let contacts = json!([{"name": {"formatted_name": "Bob"}}]);
        let messages = [
            came,
            from("wamid.list", "interactive", list),
            from("wamid.reply", "interactive", button),
            from("wamid.button", "button", json!({"payload": "yes", "text": "Yes please"})),
            passed,
            from("wamid.card", "contacts", contacts.clone()),
            from("wamid.image", "image", json!({"id": "4711", "mime_type": "image/png", "caption": "\"data\":\"x\""})),
            from("wamid.place", "location", json!({"latitude": 52.5, "longitude": 13.4})),
            from("wamid.reaction", "reaction", json!({"message_id": "wamid.ad", "emoji": "+"})),
            from("wamid.new", "hologram", json!({"data": "x"})),
        ];
        world.inject("messages", world.value(&json!({"messages": messages}))).await;
        let events = world.payloads_of(EventType::Message).await;
        assert_eq!((&events[0]["sourceId"], &events[0]["sourceUrl"]), (&json!("120226"), &json!("https://fb.me/4kettles")));
        assert_eq!(events[1]["listReply"], json!({"id": "express", "title": "Express", "description": "Soon"}));
        assert_eq!(events[1]["text"], "Express");
        assert_eq!(events[2]["interactiveButtonReply"], json!({"id": "am", "title": "Morning"}));
        assert_eq!(events[3]["buttonReply"], json!({"payload": "yes", "text": "Yes please"}));
        assert_eq!((&events[4]["forwarded"], &events[4]["frequentlyForwarded"]), (&json!(true), &json!(true)));
        assert_eq!(events[5]["messageContact"], contacts);
        assert_eq!(events[5]["data"], contacts);
        let name = format!("{}.png", events[6]["id"].as_str().unwrap());
        let address = format!("/{}/api/file/showFile?fileName={name}", world.tenant());
        assert!(events[6]["data"].as_str().unwrap().ends_with(&address), "{}", events[6]["data"]);
        assert_eq!(events[6]["text"], "\"data\":\"x\"");
        assert_eq!(events[7]["data"], json!({"latitude": 52.5, "longitude": 13.4, "name": null, "address": null}));
        assert_eq!(events[8]["data"], json!({"emoji": "+", "messageId": "wamid.ad"}));
        assert_eq!(events[9]["data"]["hologram"], json!({"data": "x"}));
        assert_eq!(events[6]["type"], "image");
        let new = world.payloads_of(EventType::NewContactMessageReceived).await;
        assert_eq!(new[0]["sourceId"], "120226");
    }

    async fn a_reply_publishes_replied_once(world = business) {
        world.say(ADA, "hello").await;
        let id = world.written(ADA, "what can we do?").await;
        world.drain().await;
        world.later(60).await;
        let network_id = world.message(id).await.network_id;
        for text in ["this", "and that"] {
            let say = Say { text: Some(text.to_owned()), reply_to: network_id.clone(), ..Say::default() };
            world.sandbox().say(world.tenant(), ADA, say).await.unwrap();
            world.later(60).await;
        }
        let events = world.event_names_of(id).await;
        assert_eq!(events.iter().filter(|name| **name == "sentMessageREPLIED").count(), 1);
        let replied = world.payloads_of(EventType::SentMessageRepliedV2).await;
        assert_eq!(replied.len(), 1);
        assert_eq!(replied[0]["statusString"], "Replied");
        let answers = world.payloads_of(EventType::Message).await;
        assert_eq!(replied[0]["timestamp"], answers[1]["timestamp"]);
        assert_eq!(answers[1]["replyContextId"], json!(network_id));
    }
}
