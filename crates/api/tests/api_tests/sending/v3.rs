//! V3: the shapes of all answers, and the messages that arrive.

use serde_json::json;

use crate::sending::normalize::golden;
use crate::sending::world::{ADA, BEN, INTERACTIVE, JACK, MAX, SCHEDULE, SEND, Stage, TEXT, filled, text, update};

testkit::both_databases! {
    async fn a_text_arrives_as_it_was_written(test) {
        let stage = Stage::new(test).await;
        stage.people().await;
        let sent = stage.good(TEXT, &text(ADA, "Your \"order\" is\nready ✓")).await;
        golden!("text", sent.clone());
        assert_eq!(stage.last(ADA).await.text, "Your \"order\" is\nready ✓");
        let path = format!("/api/ext/v3/conversations/{ADA}/messages");
        let history = stage.app.get(&path, &stage.token).await.json();
        assert_eq!(history["message_list"][0]["id"], sent["message"]["id"]);
        let target = format!("Sandbox:{ADA}");
        let answered = history["message_list"].as_array().unwrap().iter().find(|one| one["owner"] == false).unwrap();
        let reply = json!({"target": target, "text": "Yes?", "isBot": true, "localMessageId": "mine-1",
            "replyContextId": answered["id"]});
        golden!("reply", stage.good(TEXT, &reply).await);
        assert_eq!(stage.last(ADA).await.text, "Yes?");
    }

    async fn buttons_lists_and_products_can_be_tapped(test) {
        let stage = Stage::new(test).await;
        stage.people().await;
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

    async fn a_template_goes_to_those_who_may_get_it(test) {
        let stage = Stage::new(test).await;
        stage.people().await;
        let recipients = json!([filled(ADA), {"whatsappNumber": "+44 20 7946 0123", "local_message_id": "mine-2",
            "customParams": [{"name": "name", "value": "Ben"}, {"name": "order", "value": 7}]}]);
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

    async fn a_scheduled_template_leaves_when_its_time_has_come(test) {
        let stage = Stage::new(test).await;
        let at = stage.app.app.now().plus_seconds(3600).to_rfc3339();
        let mut body = update(&json!([filled(ADA)]));
        body["scheduled_at"] = at.as_str().into();
        let sent = stage.good(SCHEDULE, &body).await;
        assert_eq!(sent["scheduled_at"], at);
        golden!("scheduled", sent);
        assert!(stage.app.sandbox.as_ref().unwrap().inbox(stage.app.tenant(), ADA, 9).await.unwrap().messages.is_empty());
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, order A-1 is on its way.");
        assert!(stage.app.app.now().to_rfc3339() >= at);
    }

    async fn ten_thousand_recipients_are_one_request(test) {
        let stage = Stage::new(test).await;
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
