//! Reused references and invalid changes of status: 409, and nothing changes.

use sandbox::driver::Outcome;
use serde_json::{Value, json};
use testkit::World;

use crate::orders::world::{ADA, ORDERS, Shop as _, by_template, shop, to_ada, with};

fn news(status: &str) -> Value {
    json!({"reference_id": "order-1", "status": status, "body": "News."})
}

async fn refused(shop: &World, status: &str, said: &str) {
    let v3 = shop.call("PUT", &format!("{ORDERS}/order-1/status"), &news(status)).await;
    let v1 = shop.post(&shop.v1("order_status"), &news(status)).await;
    for answer in [v3, v1] {
        let reply = answer.json();
        assert_eq!((answer.status.as_u16(), &reply["parameter"]), (409, &json!("status")), "{status}: {}", answer.text);
        assert_eq!(reply["message"], format!("status: {said}"));
    }
}

testkit::both_databases! {
    async fn a_reference_is_used_once(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        let before = shop.stored().await;
        let v1 = with(to_ada("order-1"), &json!({"whatsappNumber": ADA}));
        let answers = [
            shop.post(ORDERS, &to_ada("order-1")).await,
            shop.post(ORDERS, &by_template(ADA, "order-1")).await,
            shop.post(&format!("{ORDERS}?dry_run=true"), &to_ada("order-1")).await,
            shop.post(&shop.v1("order_details"), &v1).await,
        ];
        for answer in answers {
            let reply = answer.json();
            assert_eq!((answer.status.as_u16(), &reply["code"]), (409, &json!(40901)), "{}", answer.text);
            assert_eq!((&reply["reason"], &reply["parameter"]), (&json!("conflict"), &json!("reference_id")));
        }
        assert_eq!(shop.stored().await, before);
    }

    async fn an_order_goes_forward_only(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        let path = format!("{ORDERS}/order-1/status");
        shop.put(&path, &news("shipped")).await.ok();
        let before = shop.stored().await;
        refused(&shop, "processing", "an order that is shipped cannot become processing").await;
        refused(&shop, "pending", "an order that is shipped cannot become pending").await;
        refused(&shop, "canceled", "an order that is shipped cannot become canceled").await;
        assert_eq!(shop.stored().await, before);
        shop.put(&path, &news("completed")).await.ok();
        refused(&shop, "shipped", "an order that is completed cannot become shipped").await;
        for (body, parameter) in [
            (json!({"status": "lost", "body": "News."}), "status"),
            (json!({"body": "News."}), "status"),
            (json!({"status": "completed"}), "body"),
            (json!({"status": 7, "body": "News."}), "status"),
        ] {
            let answer = shop.call("PUT", &path, &body).await;
            assert_eq!((answer.status.as_u16(), answer.json()["parameter"].as_str()), (400, Some(parameter)), "{body}");
        }
    }

    async fn what_is_paid_cannot_be_canceled(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        shop.pay(ADA, "order-1", Outcome::Captured).await;
        refused(&shop, "canceled", "a payment for the order is in progress").await;
        shop.look_up().await;
        refused(&shop, "canceled", "the order is paid: refund it first").await;
        shop.put(&format!("{ORDERS}/order-1/status"), &news("shipped")).await.ok();
    }

    async fn an_unknown_reference_is_a_404(shop = shop) {
        for path in [format!("{ORDERS}/none"), "/api/ext/v3/payments/none".to_owned(), shop.v1("order_details/none"), shop.v1("payment_status/none"), format!("{ORDERS}/{}", "x".repeat(99))] {
            let answer = shop.get(&path).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{path}: {}", answer.text);
        }
        let v3 = shop.call("PUT", &format!("{ORDERS}/none/status"), &news("shipped")).await;
        let v1 = shop.post(&shop.v1("order_status"), &with(news("shipped"), &json!({"reference_id": "none"}))).await;
        assert_eq!((v3.status.as_u16(), v1.status.as_u16()), (404, 404), "{} {}", v3.text, v1.text);
    }
}
