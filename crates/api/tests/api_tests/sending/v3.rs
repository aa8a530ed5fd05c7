//! V3: the shapes of all answers, and the messages that arrive.

use serde_json::json;

use crate::sending::normalize::golden;
use crate::sending::world::{
    ADA, BEN, FORWARD, INTERACTIVE, JACK, MAX, REACTION, SCHEDULE, SEND, Stage as _, TEXT, filled, peopled, stage,
    text, update,
};

testkit::both_databases! {
    async fn a_text_arrives_as_it_was_written(stage = peopled) {
        let sent = stage.good(TEXT, &text(ADA, "Your \"order\" is\nready ✓")).await;
        golden!("text", sent.clone());
        assert_eq!(stage.last(ADA).await.text, "Your \"order\" is\nready ✓");
        let path = format!("/api/ext/v3/conversations/{ADA}/messages");
        let history = stage.get(&path).await.json();
        assert_eq!(history["message_list"][0]["id"], sent["message"]["id"]);
        // The row that opens the ticket is older than the message that opened it.
        let rows: Vec<_> = history["message_list"].as_array().unwrap().iter().map(|one| (&one["event_type"], &one["owner"])).collect();
        assert_eq!(rows, [(&json!("message"), &json!(true)), (&json!("message"), &json!(false)), (&json!("ticket"), &json!(true))]);
        assert_eq!(history["message_list"][2]["ticket_change"], json!({"type": "opened"}));
        let times: Vec<_> = history["message_list"].as_array().unwrap().iter().map(|one| one["created"].as_str().unwrap()).collect();
        assert!(times.is_sorted_by(|newer, older| newer >= older), "{times:?}");
        let target = format!("Sandbox:{ADA}");
        let answered = history["message_list"].as_array().unwrap().iter().find(|one| one["owner"] == false).unwrap();
        let reply = json!({"target": target, "text": "Yes?", "isBot": true, "localMessageId": "mine-1",
            "replyContextId": answered["id"]});
        golden!("reply", stage.good(TEXT, &reply).await);
        assert_eq!(stage.last(ADA).await.text, "Yes?");
    }

    async fn a_message_is_reacted_to_and_forwarded(stage = peopled) {
        let path = format!("/api/ext/v3/conversations/{ADA}/messages");
        let history = stage.get(&path).await.json();
        let asked = history["message_list"].as_array().unwrap().iter().find(|one| one["owner"] == false).unwrap();
        let sent = stage.good(REACTION, &json!({"message_id": asked["id"], "emoji": "👍"})).await;
        assert_eq!(sent["message"]["type"], "reaction");
        assert_eq!(sent["message"]["data"], json!({"emoji": "👍", "messageId": asked["whatsapp_message_id"]}));
        assert_eq!(stage.last(ADA).await.text, "👍");
        let removed = stage.good(REACTION, &json!({"message_id": asked["id"], "emoji": ""})).await;
        assert_eq!(removed["message"]["data"]["emoji"], "");
        // It has arrived before the next one leaves: two that are due at the same time may arrive in any order.
        assert_eq!(stage.last(ADA).await.text, "");
        let copy = stage.good(FORWARD, &json!({"target": ADA, "message_id": asked["id"], "local_message_id": "copy-1"})).await;
        assert_eq!((&copy["message"]["text"], &copy["message"]["local_message_id"]), (&json!("Hello?"), &json!("copy-1")));
        assert_eq!(stage.last(ADA).await.text, "Hello?");
        let opened = history["message_list"].as_array().unwrap().iter().find(|one| one["event_type"] == "ticket").unwrap();
        for (path, body, status, parameter) in [
            (REACTION, json!({"message_id": asked["id"], "emoji": "ok"}), 400, "emoji"),
            (REACTION, json!({"message_id": opened["id"], "emoji": "👍"}), 404, "message_id"),
            (REACTION, json!({"message_id": "none", "emoji": "👍"}), 404, "message_id"),
            (FORWARD, json!({"target": ADA, "message_id": sent["message"]["id"]}), 400, "message_id"),
            (FORWARD, json!({"target": ADA, "message_id": opened["id"]}), 404, "message_id"),
            (FORWARD, json!({"target": BEN, "message_id": asked["id"]}), 400, "target"),
        ] {
            let answer = stage.post(path, &body).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (status, &json!(parameter)), "{}", answer.text);
        }
    }

    async fn buttons_lists_and_products_can_be_tapped(stage = peopled) {
        let buttons = json!({"target": ADA, "type": "buttons", "button_message": {
            "header": {"type": "Text", "text": "Your booking"}, "body": "Shall we go on?", "footer": "Shop",
            "buttons": [{"text": "Yes"}, {"text": "No", "id": "no"}]}});
        golden!("buttons", stage.good(INTERACTIVE, &buttons).await);
        let shown = stage.last(ADA).await;
        let titles: Vec<_> = shown.buttons.iter().map(|button| (button.kind.as_str(), button.text.as_str())).collect();
        assert_eq!((shown.text.as_str(), titles), ("Your booking\nShall we go on?\nShop", vec![("reply", "Yes"), ("reply", "No")]));
        let list = json!({"target": ADA, "type": "list", "list_message": {
            "header": "Rooms", "body": "Which one?", "footer": "", "buttonText": "Choose",
            "sections": [{"title": "", "rows": [{"title": "12", "description": "With a view"}, {"title": "13"}]}]}});
        golden!("list", stage.good(INTERACTIVE, &list).await);
        let shown = stage.last(ADA).await;
        assert_eq!((shown.text.as_str(), shown.buttons.len()), ("Rooms\nWhich one?", 2));
        for product in [
            json!({"target": ADA, "type": "product", "product_message": {"catalog_id": "1", "product_retailer_id": "hat"}}),
            json!({"target": ADA, "type": "productList", "product_list_message": {"header": "Hats", "body": "Ours",
                "catalog_id": "1", "sections": [{"title": "New", "product_items": [{"product_retailer_id": "hat"}]}]}}),
            json!({"target": ADA, "type": "buttons", "buttonMessage": {"body": {"text": "Look"}, "buttons": [{"title": "Ok"}],
                "header": {"type": "Image", "media": {"url": "https://example.com/a.jpg"}}}}),
        ] {
            let before = stage.inbox(ADA).await.len();
            stage.good(INTERACTIVE, &product).await;
            assert_eq!(stage.inbox(ADA).await.len(), before + 1, "{product}");
        }
    }

    async fn a_template_goes_to_those_who_may_get_it(stage = peopled) {
        let recipients = json!([filled(ADA), {"whatsappNumber": "+44 20 7946 0123", "local_message_id": "mine-2",
            "customParams": [{"name": "name", "value": "Ben"}, {"name": "order", "value": "7"}, {"name": "unused", "value": "x"}]}]);
        golden!("sent", stage.good(SEND, &update(&recipients)).await);
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, order A-1 is on its way.");
        assert_eq!(stage.last(BEN).await.text, "Hello Ben, order 7 is on its way.");
        let offer = json!({"template_name": "offer", "broadcast_name": "Spring", "channel": "Sandbox", "receivers": [
            {"phone_number": ADA, "custom_params": [{"value": "Ada"}]},
            {"phone_number": JACK, "custom_params": [{"name": "1", "value": "Jack"}]},
            {"target": MAX, "custom_params": [{"name": "1", "value": "Max"}]},
            {"phone_number": "11111111111"},
            {"target": "nobody"},
            {"target": ADA, "custom_params": [{"name": "1", "value": "Ada"}]},
        ]});
        golden!("partial", stage.good(SEND, &offer).await);
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, we have something for you.");
        let none_sent = stage.good(SEND, &update(&json!([filled("11111111111"), {}]))).await;
        golden!("none_sent", none_sent);
    }

    async fn a_template_has_its_parts_and_values_in_the_history(stage = peopled) {
        let button = json!({"type": "url", "parameter": {"text": "Track it", "url": "https://example.com/{{order}}"}});
        stage.good("/api/ext/v3/messageTemplates", &json!({
            "name": "parts", "category": "UTILITY", "language": "en", "body": "It leaves today.", "footer": "The shop",
            "header": {"type": "text", "text": "Order {{order}}"},
            "buttons": [button, {"type": "quick_reply", "parameter": {"text": "Thanks"}}],
            "custom_params": [{"name": "order", "value": "A-1"}],
        })).await;
        stage.later(5).await;
        let values = json!([{"name": "order", "value": "B-7"}]);
        stage.good(SEND, &json!({
            "template_name": "parts", "broadcast_name": "May", "recipients": [{"target": ADA, "custom_params": values}],
        })).await;
        let history = stage.get(&format!("/api/ext/v3/conversations/{ADA}/messages")).await.ok();
        let of = |owner: bool| {
            let mut rows = history["message_list"].as_array().unwrap().iter();
            rows.find(|one| one["owner"] == owner && one["event_type"] != "ticket").unwrap()
        };
        let (sent, template) = (of(true), &of(true)["template"]);
        assert_eq!((&sent["text"], &template["name"]), (&json!("It leaves today."), &json!("parts")));
        assert_eq!((&template["header"]["text"], &template["footer"]), (&json!("Order {{order}}"), &json!("The shop")));
        assert_eq!(template["buttons"][0]["parameter"]["url"], "https://example.com/{{order}}");
        assert_eq!(template["buttons"][1]["parameter"]["text"], "Thanks");
        assert_eq!(template["custom_params"], values);
        assert!(template["carousel_cards"].is_null() && of(false)["template"].is_null(), "{history}");
    }

    async fn a_scheduled_template_leaves_when_its_time_has_come(stage = stage) {
        let at = stage.now().plus_seconds(3600).to_rfc3339();
        let mut body = update(&json!([filled(ADA)]));
        body["scheduled_at"] = at.as_str().into();
        let sent = stage.good(SCHEDULE, &body).await;
        assert_eq!(sent["scheduled_at"], at);
        golden!("scheduled", sent);
        let path = format!("/api/ext/v3/conversations/{ADA}/messages");
        assert_eq!(stage.get(&path).await.json()["message_list"], json!([]));
        assert!(stage.sandbox().inbox(stage.tenant(), ADA, 9).await.unwrap().messages.is_empty());
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, order A-1 is on its way.");
        assert!(stage.now().to_rfc3339() >= at);
        let history = stage.get(&path).await.json()["message_list"].clone();
        assert_eq!((history.as_array().unwrap().len(), &history[0]["event_type"]), (1, &json!("broadcast")));
        assert!(history[0]["created"].as_str().unwrap() >= at.as_str(), "{history}");
    }

    /// Existing typed clients expect strings in `errors`, and the numbers that they sent, unchanged.
    async fn errors_are_texts_with_details_beside_them(stage = stage) {
        let sent = stage.good(SEND, &update(&json!([filled("+1 111 111 1111")]))).await;
        let one = &sent["recipients"][0];
        assert_eq!((&sent["success"], &one["phone_number"]), (&json!(false), &json!("+1 111 111 1111")));
        assert_eq!(one["errors"], json!(["phone_number: 11111111111 is not a valid phone number in any country"]));
        assert_eq!((&one["error_details"][0]["reason"], &one["error_details"][0]["parameter"]), (&json!("invalid_number"), &json!("recipients[0].phone_number")));
        assert_eq!(sent["error"], "11111111111 is not a valid phone number in any country");
        let several = stage.good(SEND, &update(&json!([filled("11111111111"), {"phone_number": ADA}]))).await;
        assert_eq!(several["error"], "none of the 2 recipients can be sent to, for several reasons");
    }

    async fn wrong_types_are_named_by_their_path_in_the_words_of_json(stage = stage) {
        let with = |recipient: serde_json::Value| update(&json!([filled(ADA), recipient]));
        for (path, body, parameter, message) in [
            (SEND, with(json!({"phone_number": 14_155_552_671_u64})), "recipients[1].phone_number", "expected a string"),
            (SEND, with(json!({"custom_params": [{"name": 5, "value": "x"}]})), "recipients[1].custom_params[0].name", "expected a string"),
            (SEND, with(json!({"custom_params": {"name": "x"}})), "recipients[1].custom_params", "expected a list"),
            (SEND, with(json!("x")), "recipients[1]", "expected an object"),
            (SEND, json!({"template_name": 5, "broadcast_name": "x", "recipients": []}), "template_name", "expected a string"),
            ("/api/ext/v3/contacts", json!({"whatsapp_number": ADA, "name": 5}), "name", "expected a string"),
            (TEXT, json!({"target": ADA, "text": "x", "is_bot": "yes"}), "is_bot", "expected true or false"),
        ] {
            let refused = stage.post(path, &body).await;
            assert_eq!(refused.status, 400, "{body}");
            assert_eq!(refused.json()["message"], format!("{parameter}: {message}"), "{body}");
            assert_eq!(refused.json()["parameter"], parameter, "{body}");
        }
        for (path, body, parameter) in [
            (SEND, json!({"template_name": "nothing", "broadcast_name": "x", "recipients": [filled(ADA)]}), "template_name"),
            (SEND, json!({"template_name": "offer", "channel": "Nowhere", "broadcast_name": "x", "recipients": [filled(ADA)]}), "channel"),
        ] {
            let refused = stage.post(path, &body).await;
            assert_eq!((refused.status.as_u16(), refused.json()["parameter"].clone()), (400, json!(parameter)), "{}", refused.text);
        }
        let unknown = stage.post(TEXT, &text("507f1f77bcf86cd799439011", "x")).await;
        assert_eq!((unknown.status.as_u16(), unknown.json()["parameter"].clone()), (404, json!("target")), "{}", unknown.text);
    }

    async fn ten_thousand_recipients_are_one_request(stage = stage) {
        let many: Vec<_> = (0..10_000).map(|i| filled(&format!("1212{}", 2_000_000 + i))).collect();
        let body = update(&json!(many));
        assert!(body.to_string().len() > 1 << 20);
        let sent = stage.good(SEND, &body).await;
        assert_eq!(sent["recipients"].as_array().unwrap().len(), 10_000);
        assert!(sent["recipients"].as_array().unwrap().iter().all(|one| one["errors"] == json!([])));
        let mut one_more = many;
        one_more.push(filled(ADA));
        let refused = stage.post(SEND, &update(&json!(one_more))).await;
        assert_eq!(refused.json()["message"], "recipients: 10001 recipients, at most 10000");
        assert_eq!((refused.status.as_u16(), refused.json()["parameter"].as_str()), (400, Some("recipients")));
    }
}
