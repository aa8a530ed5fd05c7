//! Inbox, messages, taps and links.

use app::Error;
use channels::outgoing::Share;
use channels::webhook::Notification;
use sandbox::driver::{Image, Location, Open, Prefer, Say, Tap};
use sandbox::{Change, Scenario, ScenarioName};
use serde_json::{Value, json};
use testkit::outgoing::use_up;

use crate::driver::world::{ADA, Street, street, texts};

fn reply_buttons() -> Value {
    json!({ "to": ADA, "type": "interactive", "interactive": {
        "type": "button",
        "body": { "text": "Shall we?" },
        "action": { "buttons": [
            { "type": "reply", "reply": { "id": "y", "title": "Yes" } },
            { "type": "reply", "reply": { "id": "n", "title": "No" } },
        ] },
    } })
}

fn list() -> Value {
    json!({ "to": ADA, "type": "interactive", "interactive": {
        "type": "list",
        "body": { "text": "Which?" },
        "action": { "button": "Choose", "sections": [{ "title": "Teas", "rows": [
            { "id": "green", "title": "Green", "description": "Fresh" },
            { "id": "black", "title": "Black" },
        ] }] },
    } })
}

fn link(url: &str) -> Value {
    json!({ "to": ADA, "type": "interactive", "interactive": {
        "type": "cta_url",
        "body": { "text": "Look here" },
        "action": { "name": "cta_url", "parameters": { "display_text": "Open", "url": url } },
    } })
}

/// An approved template with all kinds of variables.
async fn template(world: &Street) {
    let path = format!("{}/message_templates", world.channel.account_id);
    let body = json!({
        "name": "spring", "language": "en_US", "category": "MARKETING",
        "components": [
            { "type": "HEADER", "format": "TEXT", "text": "For {{1}}", "example": { "header_text": ["Ada"] } },
            { "type": "BODY", "text": "Take {{1}} off, {{2}}!", "example": { "body_text": [["10 %", "Ada"]] } },
            { "type": "FOOTER", "text": "The shop" },
            { "type": "BUTTONS", "buttons": [
                { "type": "QUICK_REPLY", "text": "Stop" },
                { "type": "URL", "text": "Shop now", "url": "https://shop.example/c/{{1}}", "example": ["https://shop.example/c/x"] },
            ] },
        ],
    });
    let made = world.ask_graph(&path, body).await;
    assert!(made["id"].is_string(), "{made}");
    world.advance(2);
    world.posts().await;
}

fn used_template() -> Value {
    let text = |text: &str| json!({ "type": "text", "text": text });
    json!({ "to": ADA, "type": "template", "template": {
        "name": "spring", "language": { "code": "en_US" },
        "components": [
            { "type": "header", "parameters": [text("Ada")] },
            { "type": "body", "parameters": [text("20 %"), text("Ada")] },
            { "type": "button", "sub_type": "url", "index": "1", "parameters": [text("abc-123")] },
        ],
    } })
}

fn message(notification: &Notification) -> (&str, Value) {
    let Notification::Message(message) = notification else { panic!("{notification:?}") };
    (&message.kind, serde_json::from_str(&message.content).unwrap())
}

testkit::both_databases! {
    async fn an_inbox_shows_what_has_arrived_as_the_phone_shows_it(world = street) {
        template(&world).await;
        let id = world.send_message(used_template()).await;
        let inbox = async || serde_json::to_value(world.sandbox.inbox(world.tenant(), ADA, 20).await.unwrap()).unwrap();
        assert_eq!(inbox().await["messages"], json!([]), "not delivered yet");
        world.test.clock.advance(std::time::Duration::from_millis(460));
        let messages = inbox().await["messages"].clone();
        let message = &messages[0];
        assert_eq!((&message["id"], &message["from"]), (&json!(id), &json!("14155550100")));
        assert_eq!(message["text"], "For Ada\nTake 20 % off, Ada!\nThe shop");
        assert_eq!(message["buttons"], json!([
            { "text": "Stop", "type": "quick_reply", "url": null },
            { "text": "Shop now", "type": "url", "url": "https://shop.example/c/abc-123" },
        ]));
        assert!(message["received_at"].is_string() && message["read_at"].is_null(), "{message}");
        world.advance(1);
        assert!(inbox().await["messages"][0]["read_at"].is_string());
        world.says("hi").await;
        world.advance(1);
        world.send_message(json!({ "to": ADA, "type": "text", "text": { "body": "hello" } })).await;
        world.advance(1);
        let shown = inbox().await;
        let texts: Vec<&str> = shown["messages"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
        assert_eq!(texts[1..], ["hello"], "newest last, without what the person wrote");
        assert_eq!(world.sandbox.inbox(world.tenant(), ADA, 1).await.unwrap().messages[0].text, "hello");
        assert!(matches!(world.sandbox.inbox(world.tenant(), ADA, 0).await, Err(Error::Invalid { .. })));
    }

    async fn an_inbox_has_what_the_person_wrote_within_one_second_in_order(world = street) {
        for text in ["one", "two", "three"] {
            world.says(text).await;
            world.test.clock.advance(std::time::Duration::from_millis(10));
        }
        let inbox = world.sandbox.inbox(world.tenant(), ADA, 20).await.unwrap();
        let said: Vec<(&str, &str)> = inbox.said.iter().map(|one| (one.kind.as_str(), one.text.as_str())).collect();
        assert_eq!(said, [("text", "one"), ("text", "two"), ("text", "three")]);
        assert!(inbox.said.is_sorted_by_key(|one| one.at) && inbox.messages.is_empty());
        let last = world.sandbox.inbox(world.tenant(), ADA, 1).await.unwrap().said;
        assert_eq!(last.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["three"]);
    }

    async fn a_person_writes_answers_and_reacts(world = street) {
        let tenant = world.tenant();
        let first = world.says("hello").await;
        let answer = Say { text: Some("and more".to_owned()), reply_to: Some(first.clone()), ..Say::default() };
        world.sandbox.say(tenant, ADA, answer).await.unwrap();
        let reaction = Say { reaction: Some("👍".to_owned()), reply_to: Some(first.clone()), ..Say::default() };
        world.sandbox.say(tenant, ADA, reaction).await.unwrap();
        let place = Location { latitude: 52.5, longitude: 13.4, name: Some("Berlin".to_owned()), address: None };
        world.sandbox.say(tenant, ADA, Say { location: Some(place), ..Say::default() }).await.unwrap();
        let image = Image { caption: Some("look".to_owned()) };
        world.sandbox.say(tenant, "@deepa_rao", Say { image: Some(image), ..Say::default() }).await.unwrap();
        let records = world.records().await;
        let contents: Vec<(&str, Value)> = records.iter().map(|record| message(&record.notification)).collect();
        let kinds: Vec<&str> = contents.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, ["text", "text", "reaction", "location", "image"]);
        assert_eq!(contents[1].1["context"]["id"], *first);
        assert_eq!(contents[2].1["reaction"], json!({ "message_id": first, "emoji": "👍" }));
        let Notification::Message(from_deepa) = &records[4].notification else { panic!() };
        assert!(from_deepa.from.wa_id.is_none() && from_deepa.from.user_id.as_ref().unwrap().starts_with("IN."));
        let (status, media) = world.look_up(contents[4].1["image"]["id"].as_str().unwrap()).await;
        assert_eq!((status.as_u16(), &media["mime_type"]), (200, &json!("image/png")));
    }

    async fn invalid_messages_are_refused(world = street) {
        for (say, parameter) in [
            (Say::default(), "text"),
            (Say { text: Some(" ".to_owned()), ..Say::default() }, "text"),
            (Say { text: Some("a".repeat(4097)), ..Say::default() }, "text"),
            (Say { reaction: Some("👍".to_owned()), ..Say::default() }, "reply_to"),
            (Say { text: Some("a".to_owned()), image: Some(Image::default()), ..Say::default() }, "text"),
        ] {
            let error = world.sandbox.say(world.tenant(), ADA, say).await.unwrap_err();
            assert!(matches!(&error, Error::Invalid { place: named, .. } if named.to_string() == parameter), "{error}");
        }
        for (say, parameter) in [
            (Say { text: Some("a".to_owned()), reply_to: Some("wamid.x".to_owned()), ..Say::default() }, "reply_to"),
            (Say { text: Some("a".to_owned()), channel: Some("elsewhere".to_owned()), ..Say::default() }, "channel"),
        ] {
            let error = world.sandbox.say(world.tenant(), ADA, say).await.unwrap_err();
            assert!(matches!(&error, Error::Missing { place: named, .. } if named.to_string() == parameter), "{error}");
        }
        assert!(world.posts().await.is_empty());
    }

    async fn a_tap_answers_in_the_shape_of_its_button(world = street) {
        world.says("hi").await;
        template(&world).await;
        for content in [reply_buttons(), list(), used_template()] {
            world.send_message(content).await;
            world.advance(1);
        }
        world.posts().await;
        let tap = |button: &str| Tap { button: button.to_owned(), message: None };
        for button in ["no", "Green", "Stop"] {
            assert!(world.sandbox.tap(world.tenant(), ADA, tap(button)).await.unwrap().said.is_some());
        }
        let records = world.records().await;
        let contents: Vec<Value> = records.iter().map(|record| message(&record.notification).1).collect();
        assert_eq!(contents[0]["interactive"]["button_reply"], json!({ "id": "n", "title": "No" }));
        let row = json!({ "id": "green", "title": "Green", "description": "Fresh" });
        assert_eq!(contents[1]["interactive"]["list_reply"], row);
        assert_eq!(contents[2]["button"], json!({ "text": "Stop", "payload": "Stop" }));
        assert!(contents.iter().all(|content| content["context"]["id"].is_string()));
        let error = world.sandbox.tap(world.tenant(), ADA, tap("Perhaps")).await.unwrap_err();
        assert!(error.to_string().contains("0: Stop, 1: Shop now"), "{error}");
    }

    async fn a_link_is_followed_as_a_phone_does(world = street) {
        world.says("hi").await;
        world.send_message(link("https://shop.example/c/abc?x=1#top")).await;
        world.advance(1);
        world.web.page("https://shop.example/c/abc?x=1", 302, Some("/landing"));
        world.web.page("https://shop.example/landing", 301, Some("https://other.example/"));
        world.web.page("https://other.example/", 200, None);
        let opened = world.sandbox.open(world.tenant(), ADA, Open::default()).await.unwrap();
        assert_eq!(serde_json::to_value(&opened.hops).unwrap(), json!([
            { "url": "https://shop.example/c/abc?x=1#top", "status": 302 },
            { "url": "https://shop.example/landing", "status": 301 },
            { "url": "https://other.example/", "status": 200 },
        ]));
        let visits = world.web.visits.lock().unwrap().clone();
        let agent = visits[0].1["user-agent"].to_str().unwrap();
        assert!(agent.contains("Mobile") && agent.starts_with("Mozilla/5.0"), "{agent}");
        let tapped = world.sandbox.tap(world.tenant(), ADA, Tap { button: "Open".to_owned(), message: None }).await.unwrap();
        assert_eq!(tapped.hops.unwrap().len(), 3, "a tap on a link opens it");
    }

    async fn links_are_opened_with_the_connections_of_the_tenant(world = street) {
        world.says("hi").await;
        world.send_message(link("https://shop.example/")).await;
        world.advance(1);
        world.web.page("https://shop.example/", 200, None);
        let outgoing = world.sandbox.app().outgoing();
        let used_up = use_up(outgoing, world.tenant());
        let refused = world.sandbox.open(world.tenant(), ADA, Open::default()).await.unwrap();
        assert!(refused.hops[0].error.is_some(), "{refused:?}");
        assert!(world.web.visits.lock().unwrap().is_empty());
        assert!(outgoing.call(Share::Mail).await.is_some());
        drop(used_up);
        let opened = world.sandbox.open(world.tenant(), ADA, Open::default()).await.unwrap();
        assert_eq!(opened.hops[0].status, Some(200), "{opened:?}");
    }

    async fn broken_links_and_redirect_loops_end(world = street) {
        world.says("hi").await;
        world.web.page("https://round.example/", 302, Some("https://round.example/"));
        for (url, hops, error) in [
            ("https://round.example/", 12, "more than 10 redirects"),
            ("https://private.example/", 1, "not public"),
        ] {
            world.send_message(link(url)).await;
            world.advance(1);
            let opened = world.sandbox.open(world.tenant(), ADA, Open::default()).await.unwrap();
            assert_eq!(opened.hops.len(), hops, "{url}");
            assert!(opened.hops.last().unwrap().error.as_ref().unwrap().contains(error), "{url}");
        }
        world.web.page("https://script.example/", 302, Some("intent://run"));
        world.send_message(link("https://script.example/")).await;
        world.advance(1);
        let open = Open { report: true, ..Open::default() };
        let opened = world.sandbox.open(world.tenant(), ADA, open).await.unwrap();
        assert!(opened.hops[1].error.as_ref().unwrap().contains("only http"), "{opened:?}");
        let clicks = world.records().await.into_iter().filter(|record| matches!(record.notification, Notification::LinkClick(_)));
        assert_eq!(clicks.count(), 1, "the network's own report");
    }

    async fn a_person_who_stops_marketing_gets_none(world = street) {
        template(&world).await;
        for (marketing, arrives) in [(false, 0), (true, 1)] {
            world.sandbox.prefer(world.tenant(), ADA, Prefer { marketing, channel: None }).await.unwrap();
            let reported = world.records().await;
            assert!(matches!(&reported[0].notification, Notification::Preference(said) if said.allowed == marketing), "{reported:?}");
            world.send_message(used_template()).await;
            world.advance(1);
            let inbox = world.sandbox.inbox(world.tenant(), ADA, 20).await.unwrap();
            assert_eq!(inbox.messages.len(), arrives, "{marketing}");
            world.posts().await;
        }
    }

    async fn any_webhook_can_be_posted(world = street) {
        let value = json!({ "event": "PARTNER_REMOVED" });
        let change = Change { field: "account_update".to_owned(), value };
        world.sandbox.inject(world.tenant(), None, change.clone()).await.unwrap();
        let posts = world.posts().await;
        assert_eq!(posts[0].json()["entry"][0]["changes"], json!([change]));
        assert!(matches!(posts[0].records()[0].notification, Notification::Account(_)));
        for (change, parameter) in [
            (Change { field: "sandbox.act".to_owned(), value: json!({}) }, "webhook_field"),
            (Change { field: "messages".to_owned(), value: json!(1) }, "value"),
        ] {
            let error = world.sandbox.inject(world.tenant(), None, change).await.unwrap_err();
            assert!(matches!(&error, Error::Invalid { place: named, .. } if named.to_string() == parameter), "{error}");
        }
    }

    async fn lively_people_act_and_quiet_ones_do_not(world = street) {
        world.says("hi").await;
        let send = async || {
            for place in 0..12 {
                world.send_message(reply_buttons()).await;
                world.send_message(json!({ "to": ADA, "type": "text", "text": { "body": format!("{place}") } })).await;
                world.advance(1);
            }
            world.advance(300);
            let records = world.records().await;
            records.into_iter().filter(|record| matches!(record.notification, Notification::Message(_))).count()
        };
        assert_eq!(world.sandbox.current_scenario(world.tenant()).await.unwrap().name, ScenarioName::Quiet);
        assert_eq!(send().await, 1, "only what was said");
        let lively = Scenario { name: ScenarioName::Lively, seed: Some(3) };
        world.sandbox.scenario(world.tenant(), lively).await.unwrap();
        let said = send().await;
        assert!((4..24).contains(&said), "{said}");
        world.sandbox.scenario(world.tenant(), Scenario::default()).await.unwrap();
        assert_eq!(send().await, 0);
        assert!(texts(&world.records().await).is_empty());
    }
}
