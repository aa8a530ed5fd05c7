//! V1: the shapes of all answers, the spellings of clients, and the messages that arrive.

use std::fmt::Write as _;

use axum::body::Body;
use serde_json::{Value, json};
use testkit::world::request;

use crate::orders::normalize::golden;
use crate::orders::world::{ADA, BEN, Shop as _, order, shop, with};

fn to_ada(reference: &str) -> Value {
    with(order(reference), &json!({"whatsappNumber": ADA, "body": {"text": "Please pay."}, "localMessageId": "mine-1"}))
}

testkit::both_databases! {
    async fn an_order_is_sent_read_and_moved_on(shop = shop) {
        golden!("v1_sent", shop.good(&shop.v1("order_details"), &to_ada("order-1")).await);
        assert_eq!(shop.inbox(ADA).await.pop().unwrap().text, "Please pay.");
        golden!("v1_order", shop.get(&shop.v1("order_details/order-1")).await.ok());
        golden!("v1_payment", shop.get(&shop.v1("payment_status/order-1")).await.ok());
        let news = json!({"referenceId": "order-1", "order": {"status": "processing", "description": "In the oven"}, "body": "We are on it."});
        golden!("v1_moved", shop.good(&shop.v1("order_status"), &news).await);
        assert_eq!(shop.inbox(ADA).await.pop().unwrap().text, "We are on it.");
        let news = json!({"reference_id": "order-1", "status": "shipped", "template_name": "order_news", "language": "en",
            "parameters": "[{\"name\":\"name\",\"value\":\"Ada\"}]"});
        let moved = shop.good(&shop.v1("order_status_template"), &news).await;
        assert_eq!((&moved["result"], &moved["order"]["order"]["status"]), (&json!(true), &json!("shipped")));
        assert_eq!(shop.inbox(ADA).await.pop().unwrap().text, "Hello Ada, your order is ready.");
    }

    async fn a_template_reaches_a_person_outside_the_window(shop = shop) {
        let template = json!({"template_name": "order_ready", "language": "en", "parameters": [{"name": "name", "value": "Ben"}]});
        let body = with(order("order-1"), &template);
        let path = shop.v1(&format!("order_details_template?whatsappNumber=%2B{BEN}&channelPhoneNumber=14155550100"));
        golden!("v1_sent_by_template", shop.good(&path, &body).await);
        assert_eq!(shop.inbox(BEN).await.pop().unwrap().text, "Hello Ben, your order is ready.");
    }

    async fn what_cannot_be_sent_says_why(shop = shop) {
        let closed = with(order("order-1"), &json!({"whatsappNumber": BEN, "body": "Please pay."}));
        let reply = shop.good(&shop.v1("order_details"), &closed).await;
        assert_eq!(reply, json!({"result": false, "info": "Ticket has been expired."}));
        let dry = shop.good(&shop.v1("order_details?dry_run=true"), &closed).await;
        assert_eq!(dry, json!({"result": false, "info": "Ticket has been expired.", "dry_run": true, "wouldSend": false}));
        let unknown = with(order("order-1"), &json!({"whatsappNumber": BEN, "template_name": "nothing"}));
        let reply = shop.good(&shop.v1("order_details_template"), &unknown).await;
        assert_eq!((&reply["result"], &reply["info"]), (&json!(false), &json!("template_name: there is no such template")));
        assert_eq!(shop.get(&shop.v1("order_details/order-1")).await.status, 404);
    }

    async fn a_form_is_read_too(shop = shop) {
        let order = order("order-1");
        let texts = [
            ("whatsappNumber", format!("+{ADA}")),
            ("reference_id", "order-1".to_owned()),
            ("type", "physical-goods".to_owned()),
            ("currency", "INR".to_owned()),
            ("totalAmount", order["total_amount"].to_string()),
            ("order", order["order"].to_string()),
            ("body", "Please pay.".to_owned()),
        ];
        let pairs: Vec<_> = texts.iter().map(|(name, text)| format!("{name}={}", percent(text))).collect();
        let request = request("POST", &shop.v1("ORDER_details"), Some(&shop.token));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let answer = shop.send(request.body(Body::from(pairs.join("&"))).unwrap()).await;
        assert_eq!(answer.json()["order"]["total_amount"]["value"], 27_950, "{}", answer.text);
    }
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        write!(out, "%{byte:02x}").unwrap();
        out
    })
}
