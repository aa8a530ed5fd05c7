//! States of a payment: reported by a webhook, confirmed by a look-up, in conflict.

use sandbox::driver::Outcome;
use serde_json::json;

use crate::orders::normalize::golden;
use crate::orders::world::{ADA, ORDERS, Shop as _, shop, to_ada};

testkit::both_databases! {
    async fn a_webhook_waits_for_the_look_up(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        shop.pay(ADA, "order-1", Outcome::Captured).await;
        let claimed = shop.payment("order-1").await;
        assert_eq!((&claimed["status"], &claimed["pending_confirmation"]), (&json!("pending"), &json!("captured")));
        golden!("claimed", claimed);
        for (stage, orders) in [("waiting", 0), ("paid", 0), ("to_confirm", 1)] {
            let listed = shop.get(&format!("{ORDERS}?payment_status=pending&payment_stage={stage}")).await.ok();
            assert_eq!(listed["orders"].as_array().map(Vec::len), Some(orders), "{stage}");
        }
        shop.look_up().await;
        let captured = shop.payment("order-1").await;
        assert_eq!(captured["sources"], json!(["business", "webhook", "lookup"]));
        assert!(captured["as_of"].is_string() && captured.get("pending_confirmation").is_none());
        golden!("captured", captured.clone());
        let v1 = shop.get(&shop.v1("payment_status/order-1")).await.ok();
        assert_eq!((&v1["result"], &v1["payment"]), (&json!(true), &captured));
        let order = shop.get(&format!("{ORDERS}/order-1")).await.ok();
        assert_eq!(order["payment"]["status"], "captured");
    }

    async fn what_is_paid_twice_is_a_conflict_and_stays_captured(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        shop.pay(ADA, "order-1", Outcome::Twice).await;
        shop.look_up().await;
        let twice = shop.payment("order-1").await;
        assert_eq!((&twice["status"], twice["conflict"]["captured_twice"].as_array().map(Vec::len)), (&json!("captured"), Some(2)));
        golden!("captured_twice", twice);
        let listed = shop.get(&format!("{ORDERS}?payment_status=captured")).await.ok();
        assert_eq!(listed["orders"][0]["payment"]["conflict"]["captured_twice"].as_array().map(Vec::len), Some(2));
    }
}
