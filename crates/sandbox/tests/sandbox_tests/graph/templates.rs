//! Templates: created, reviewed, listed, edited, sent, deleted.

use sandbox::PhoneMessageView;
use sandbox::records::MarketingOptOut;
use serde_json::{Value, json};
use store::platform::sandbox::records::{self, Kind, Record};

use crate::graph::net::{ADA, Net};

fn promotion() -> Value {
    json!({ "name": "seasonal_promotion", "language": "en_US", "category": "MARKETING", "components": [
        { "type": "HEADER", "format": "TEXT", "text": "Our {{1}} is on!", "example": { "header_text": ["Summer Sale"] } },
        { "type": "BODY", "text": "Shop now through {{1}} and use code {{2}} to get off.",
          "example": { "body_text": [["the end of August", "25OFF"]] } },
        { "type": "FOOTER", "text": "Use the buttons below" },
        { "type": "BUTTONS", "buttons": [
            { "type": "QUICK_REPLY", "text": "Unsubscribe" },
            { "type": "URL", "text": "Shop", "url": "https://example.com/c/{{1}}", "example": ["https://example.com/c/x"] },
            { "type": "PHONE_NUMBER", "text": "Call", "phone_number": "+14155550100" },
            { "type": "COPY_CODE", "example": "25OFF" },
        ] },
    ] })
}

fn plain(name: &str, category: &str) -> Value {
    json!({ "name": name, "language": "en", "category": category, "components": [{ "type": "BODY", "text": "Hello there" }] })
}

#[expect(clippy::needless_pass_by_value, reason = "what is made for the call reads best where it is made")]
fn use_of(name: &str, language: &str, components: Value) -> Value {
    json!({ "type": "template", "template": { "name": name, "language": { "code": language }, "components": components } })
}

fn texts(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({ "type": "text", "text": text })).collect()
}

fn good() -> Value {
    json!([
        { "type": "header", "parameters": texts(&["Summer"]) },
        { "type": "body", "parameters": texts(&["August", "X1"]) },
        { "type": "button", "sub_type": "url", "index": "1", "parameters": texts(&["abc"]) },
        { "type": "button", "sub_type": "copy_code", "index": 3, "parameters": [{ "type": "coupon_code", "coupon_code": "X1" }] },
    ])
}

fn path(net: &Net) -> String {
    format!("{}/message_templates", net.channel.account_id)
}

testkit::both_databases! {
    async fn a_template_is_reviewed_within_two_seconds(net = Net::new) {
        let made = net.post(&path(&net), &promotion()).await.json();
        assert_eq!((&made["status"], &made["category"]), (&json!("PENDING"), &json!("MARKETING")));
        let id = made["id"].as_str().unwrap();
        let due = net.due().await.remove(0);
        assert!(due.at < net.clock.now().plus_seconds(2));
        assert_eq!(net.get(id).await.json()["status"], "PENDING");
        assert_eq!(net.send(ADA, use_of("seasonal_promotion", "en_US", good())).await.refusal(), (404, 132_001));
        net.advance(2000);
        let shown = net.get(id).await.json();
        assert_eq!((&shown["status"], &shown["name"], &shown["language"]), (&json!("APPROVED"), &json!("seasonal_promotion"), &json!("en_US")));
        assert_eq!(shown["components"], promotion()["components"]);
        let change = net.changes().await.remove(0);
        assert_eq!(change.field, "message_template_status_update");
        assert_eq!(change.value, json!({
            "event": "APPROVED", "reason": "NONE", "message_template_id": id.parse::<u64>().unwrap(),
            "message_template_name": "seasonal_promotion", "message_template_language": "en_US",
            "message_template_category": "MARKETING",
        }));
    }

    async fn a_sent_template_shows_its_parameters(net = Net::new) {
        net.approved(&promotion()).await;
        net.sent(ADA, use_of("seasonal_promotion", "en_US", good())).await;
        let stored = net.inbox(1).await.remove(0);
        assert_eq!(stored.status, "sent", "no window is needed");
        let shown = PhoneMessageView::from_message(&stored);
        assert_eq!(shown.text, "Our Summer is on!\nShop now through August and use code X1 to get off.\nUse the buttons below");
        let buttons: Vec<(&str, Option<&str>, Option<&str>)> =
            shown.buttons.iter().map(|one| (one.kind.as_str(), one.url.as_deref(), one.payload.as_deref())).collect();
        assert_eq!(buttons, [
            ("quick_reply", None, Some("Unsubscribe")),
            ("url", Some("https://example.com/c/abc"), None),
            ("phone_number", None, Some("+14155550100")),
            ("copy_code", None, Some("X1")),
        ]);
        let pricing = net.changes().await.iter().find_map(|one| one.value["statuses"][0].get("pricing").cloned()).unwrap();
        assert_eq!((&pricing["category"], &pricing["billable"]), (&json!("marketing"), &json!(true)));
    }

    async fn parameters_must_fit_the_template(net = Net::new) {
        net.approved(&promotion()).await;
        let replaced = |place: usize, component: Value| { let mut all = good(); all[place] = component; all };
        let without = |place: usize| { let mut all = good(); all.as_array_mut().unwrap().remove(place); all };
        for (components, code) in [
            (json!([]), 132_000),
            (without(0), 132_000),
            (without(1), 132_000),
            (without(2), 132_000),
            (without(3), 132_000),
            (replaced(1, json!({ "type": "body", "parameters": texts(&["one"]) })), 132_000),
            (replaced(1, json!({ "type": "body", "parameters": texts(&["1", "2", "3"]) })), 132_000),
            (replaced(0, json!({ "type": "header", "parameters": [{ "type": "image", "image": { "link": "https://e.com" } }] })), 132_012),
            (replaced(2, json!({ "type": "button", "sub_type": "quick_reply", "index": 1, "parameters": [] })), 132_012),
            (replaced(2, json!({ "type": "button", "sub_type": "url", "index": 9, "parameters": texts(&["a"]) })), 132_012),
            (replaced(1, json!({ "type": "body", "parameters": [{ "type": "text" }, { "type": "text", "text": "b" }] })), 131_008),
        ] {
            let answer = net.send(ADA, use_of("seasonal_promotion", "en_US", components.clone())).await;
            assert_eq!(answer.refusal(), (400, code), "{components}\n{}", answer.json());
        }
        assert_eq!(net.send(ADA, use_of("seasonal_promotion", "de", good())).await.refusal(), (404, 132_001));
        assert_eq!(net.inbox(1).await, []);
    }

    async fn named_parameters_media_headers_and_cards(net = Net::new) {
        let handle = net.sample("image/png", b"\x89PNG\r\n\x1a\n").await;
        let card = json!({ "components": [
            { "type": "HEADER", "format": "IMAGE", "example": { "header_handle": [handle] } },
            { "type": "BODY", "text": "Only {{1}} now", "example": { "body_text": [["5"]] } },
            { "type": "BUTTONS", "buttons": [{ "type": "QUICK_REPLY", "text": "Buy" }] },
        ] });
        net.approved(&json!({ "name": "named", "language": "en", "category": "UTILITY", "parameter_format": "NAMED",
            "components": [{ "type": "BODY", "text": "Hi {{first_name}}, welcome to us", "example": { "body_text_named_params": [
                { "param_name": "first_name", "example": "Ada" }] } }] })).await;
        net.approved(&json!({ "name": "cards", "language": "en", "category": "MARKETING", "components": [
            { "type": "BODY", "text": "Look" }, { "type": "CAROUSEL", "cards": [card, card] }] })).await;
        let named = |name: &str| json!([{ "type": "body", "parameters": [{ "type": "text", "parameter_name": name, "text": "Ada" }] }]);
        net.sent(ADA, use_of("named", "en", named("first_name"))).await;
        assert_eq!(PhoneMessageView::from_message(&net.inbox(1).await[0]).text, "Hi Ada, welcome to us");
        assert_eq!(net.send(ADA, use_of("named", "en", named("last_name"))).await.refusal(), (400, 132_012));
        let filled = |place: usize, kind: &str| json!({ "card_index": place, "components": [
            { "type": "header", "parameters": [{ "type": kind, kind: { "link": "https://e.com/a" } }] },
            { "type": "body", "parameters": texts(&["5"]) },
            { "type": "button", "sub_type": "quick_reply", "index": 0, "parameters": [{ "type": "payload", "payload": "p" }] },
        ] });
        let cards = |cards: Value| use_of("cards", "en", json!([{ "type": "carousel", "cards": cards }]));
        net.advance(1);
        net.sent(ADA, cards(json!([filled(0, "image"), filled(1, "image")]))).await;
        let shown = PhoneMessageView::from_message(&net.inbox(1).await[0]);
        assert_eq!((shown.text.as_str(), shown.buttons.len()), ("Look\nOnly 5 now\nOnly 5 now", 2));
        assert_eq!(net.send(ADA, cards(json!([filled(0, "image")]))).await.refusal(), (400, 132_000));
        assert_eq!(net.send(ADA, cards(json!([filled(0, "image"), filled(1, "video")]))).await.refusal(), (400, 132_012));
    }

    async fn a_template_that_was_stopped_is_not_sent(net = Net::new) {
        let id = net.approved(&plain("news", "MARKETING")).await;
        for (verdict, expected) in [("PAUSED", (400, 132_015)), ("DISABLED", (400, 132_016)), ("REJECTED", (404, 132_001))] {
            net.judge(&id, verdict).await;
            assert_eq!(net.send(ADA, use_of("news", "en", json!([]))).await.refusal(), expected);
        }
        assert_eq!(net.get(&id).await.json()["rejected_reason"], "NONE");
    }

    async fn marketing_does_not_reach_a_person_who_stopped_it(net = Net::new) {
        net.approved(&plain("news", "MARKETING")).await;
        net.approved(&plain("receipt", "UTILITY")).await;
        let record = Record {
            key: MarketingOptOut::key(1),
            doc: serde_json::to_string(&MarketingOptOut { since: net.clock.now() }).unwrap(),
            updated_at: net.clock.now(),
        };
        let input = (net.test.tenant, record);
        net.test.db.write(input, |tx, (tenant, record)| Box::pin(records::save(tx, *tenant, Kind::Setting, record))).await.unwrap();
        net.sent(ADA, use_of("news", "en", json!([]))).await;
        assert_eq!(PhoneMessageView::from_message(&net.inbox(1).await[0]).error, Some(131_050));
        net.advance(1);
        net.sent(ADA, use_of("receipt", "en", json!([]))).await;
        assert_eq!(PhoneMessageView::from_message(&net.inbox(1).await[0]).error, None);
    }

    async fn templates_are_listed_in_pages_and_by_filters(net = Net::new) {
        for name in ["one", "two", "three"] {
            net.approved(&plain(name, "UTILITY")).await;
        }
        net.post(&path(&net), &plain("four", "MARKETING")).await;
        let names = |page: &Value| page["data"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
        let page = async |query: &str| net.get(&format!("{}?{query}", path(&net))).await.json();
        let first = page("limit=3&fields=name").await;
        assert_eq!(names(&first), ["one", "two", "three"]);
        assert_eq!(first["data"][0].as_object().unwrap().len(), 2, "name and id");
        let next = first["paging"]["next"].as_str().unwrap();
        assert!(next.starts_with("http://127.0.0.1:4711/v23.0/") && !next.contains(&net.token), "{next}");
        let after = first["paging"]["cursors"]["after"].as_str().unwrap();
        let last = page(&format!("limit=3&after={after}")).await;
        assert_eq!((names(&last), last["paging"].get("next")), (vec!["four".to_owned()], None));
        let before = last["paging"]["cursors"]["before"].as_str().unwrap();
        assert_eq!(names(&page(&format!("limit=2&before={before}")).await), ["two", "three"]);
        assert_eq!(names(&page("status=PENDING").await), ["four"]);
        assert_eq!(names(&page("category=utility&name=t").await), ["two", "three"]);
        assert_eq!(names(&page("language=de").await), Vec::<String>::new());
        for query in ["limit=0", "limit=x", "after=%25", "after=bm90aGluZw"] {
            assert_eq!(net.get(&format!("{}?{query}", path(&net))).await.refusal(), (400, 100), "{query}");
        }
    }

    async fn a_template_is_edited_and_deleted(net = Net::new) {
        let made = net.post(&path(&net), &plain("news", "UTILITY")).await.json();
        let id = made["id"].as_str().unwrap().to_owned();
        let change = json!({ "components": [{ "type": "BODY", "text": "Good evening" }] });
        assert_eq!(net.post(&id, &change).await.refusal(), (400, 100), "it is under review");
        net.advance(2000);
        assert_eq!(net.post(&id, &json!({ "category": "MARKETING" })).await.refusal(), (400, 100), "it is approved");
        assert_eq!(net.post(&id, &change).await.json(), json!({ "success": true }));
        let shown = net.get(&id).await.json();
        assert_eq!((&shown["status"], &shown["components"]), (&json!("PENDING"), &change["components"]));
        assert_eq!(net.due().await.len(), 2);
        assert_eq!(net.delete(&format!("{}?name=news", path(&net))).await.json(), json!({ "success": true }));
        assert_eq!(net.due().await.len(), 1, "no verdict on what is gone");
        assert_eq!(net.get(&id).await.refusal(), (400, 100));
        assert_eq!(net.delete(&format!("{}?name=news", path(&net))).await.json()["error"]["error_subcode"], 2_593_002);
        assert_eq!(net.delete(&path(&net)).await.refusal(), (400, 100));
        assert_eq!(net.post(&path(&net), &plain("news", "UTILITY")).await.status, 200, "the name is free");
    }

    async fn invalid_templates_are_refused(net = Net::new) {
        net.post(&path(&net), &plain("taken", "UTILITY")).await;
        let body = |text: &str| json!([{ "type": "BODY", "text": text }]);
        let with_buttons = |buttons: Value| json!([{ "type": "BODY", "text": "Hi" }, { "type": "BUTTONS", "buttons": buttons }]);
        let sampled = |text: &str, samples: Value| json!([{ "type": "BODY", "text": text, "example": { "body_text": samples } }]);
        let quick = json!({ "type": "QUICK_REPLY", "text": "A" });
        let link = json!({ "type": "URL", "text": "B", "url": "https://e.com" });
        for components in [
            json!([]),
            json!([{ "type": "FOOTER", "text": "x" }]),
            json!([{ "type": "BODY", "text": "a" }, { "type": "BODY", "text": "b" }]),
            body(&"x".repeat(1025)),
            body(""),
            body("Hi {{1}} there"),
            sampled("Hi {{2}} there", json!([["a"]])),
            sampled("Hi {{1}} and {{3}} there", json!([["a", "b"]])),
            sampled("Hi {{1}} there", json!([["a", "b"]])),
            sampled("{{1}} there", json!([["a"]])),
            sampled("Hi {{1}}", json!([["a"]])),
            sampled("Hi {{1 there", json!([["a"]])),
            json!([{ "type": "BODY", "text": "a" }, { "type": "FOOTER", "text": "b {{1}} c" }]),
            json!([{ "type": "BODY", "text": "a" }, { "type": "HEADER", "format": "TEXT", "text": "x".repeat(61) }]),
            json!([{ "type": "BODY", "text": "a" }, { "type": "HEADER", "format": "IMAGE" }]),
            json!([{ "type": "BODY", "text": "a" }, { "type": "HEADER", "format": "SMELL" }]),
            json!([{ "type": "BODY", "text": "a" }, { "type": "DANCE" }]),
            with_buttons(json!([])),
            with_buttons(json!(vec![quick.clone(); 11])),
            with_buttons(json!([link, link, link])),
            with_buttons(json!([quick, link, quick])),
            with_buttons(json!([{ "type": "QUICK_REPLY", "text": "x".repeat(26) }])),
            with_buttons(json!([{ "type": "URL", "text": "B", "url": "https://e.com/{{1}}" }])),
            with_buttons(json!([{ "type": "URL", "text": "B", "url": "https://{{1}}/x", "example": ["a"] }])),
            with_buttons(json!([{ "type": "URL", "text": "B", "url": "e.com" }])),
            with_buttons(json!([{ "type": "COPY_CODE" }])),
            with_buttons(json!([{ "type": "OTP", "otp_type": "COPY_CODE" }])),
            json!([{ "type": "BODY", "text": "a" }, { "type": "CAROUSEL", "cards": [{ "components": [{ "type": "BODY", "text": "a" }] }] }]),
        ] {
            let made = json!({ "name": "fine", "language": "en", "category": "UTILITY", "components": components });
            let answer = net.post(&path(&net), &made).await;
            assert_eq!(answer.status, 400, "{components}");
        }
        let but = |member: &str, value: Value| { let mut body = plain("fine", "UTILITY"); body[member] = value; body };
        for body in [
            but("name", json!("Not Fine")), but("name", Value::Null), but("name", json!("x".repeat(513))),
            but("language", json!("English")), but("language", Value::Null), but("category", json!("SPAM")),
            but("category", Value::Null), but("components", Value::Null), but("parameter_format", json!("ODD")),
        ] {
            assert_eq!(net.post(&path(&net), &body).await.refusal(), (400, 100), "{body}");
        }
        let again = net.post(&path(&net), &plain("taken", "UTILITY")).await.json();
        assert_eq!((&again["error"]["code"], &again["error"]["error_subcode"]), (&json!(100), &json!(2_388_024)));
        assert_eq!(net.post(&path(&net), &{ let mut other = plain("taken", "UTILITY"); other["language"] = json!("de"); other }).await.status, 200);
        let code = json!({ "name": "code", "language": "en", "category": "AUTHENTICATION", "components": [
            { "type": "BODY", "add_security_recommendation": true }, { "type": "FOOTER", "code_expiration_minutes": 10 },
            { "type": "BUTTONS", "buttons": [{ "type": "OTP", "otp_type": "COPY_CODE", "text": "Copy code" }] }] });
        net.approved(&code).await;
        net.sent(ADA, use_of("code", "en", json!([{ "type": "body", "parameters": texts(&["J$FpnYnP"]) },
            { "type": "button", "sub_type": "url", "index": "0", "parameters": texts(&["J$FpnYnP"]) }]))).await;
        let shown = PhoneMessageView::from_message(&net.inbox(1).await[0]);
        assert!(shown.text.starts_with("*J$FpnYnP* is your verification code."), "{}", shown.text);
        assert_eq!(shown.buttons[0].payload.as_deref(), Some("J$FpnYnP"));
    }
}
