//! V3: the shapes of all answers, the messages that arrive, and idempotency keys.

use axum::body::Body;
use domain::Timestamp;
use serde_json::json;
use testkit::world::request;

use crate::orders::normalize::golden;
use crate::orders::world::{ADA, BEN, ORDERS, Shop as _, by_template, order, shop, to_ada, with};

testkit::both_databases! {
    async fn an_order_is_sent_read_and_moved_on(shop = shop) {
        golden!("sent", shop.good(ORDERS, &to_ada("order-1")).await);
        let got = shop.inbox(ADA).await.pop().unwrap();
        assert_eq!(got.text, "Your order is ready to be paid.\nAcme");
        golden!("order", shop.get(&format!("{ORDERS}/order-1")).await.ok());
        golden!("payment", shop.payment("order-1").await);
        let path = format!("{ORDERS}/order-1/status");
        let news = json!({"status": "processing", "description": "In the oven", "body": "We are on it.", "footer": "Acme"});
        golden!("moved", shop.put(&path, &news).await.ok());
        assert_eq!(shop.inbox(ADA).await.pop().unwrap().text, "We are on it.\nAcme");
        let news = json!({"status": "shipped", "template_name": "order_news", "language": "en",
            "custom_params": [{"name": "name", "value": "Ada"}]});
        let moved = shop.put(&path, &news).await.ok();
        assert_eq!((&moved["order"]["order"]["status"], &moved["message"]["type"]), (&json!("shipped"), &json!("template")));
        assert_eq!(shop.inbox(ADA).await.pop().unwrap().text, "Hello Ada, your order is ready.");
        assert_eq!(shop.get(&format!("{ORDERS}/order-1")).await.ok()["order"]["status"], "shipped");
        let history = shop.get(&format!("{ORDERS}/order-1/history")).await.ok();
        let steps: Vec<_> = history["history"].as_array().unwrap().iter().map(|one| (&one["what"], &one["status"], &one["source"])).collect();
        let business = json!("business");
        assert_eq!(steps, [
            (&json!("created"), &json!(null), &business), (&json!("status"), &json!("processing"), &business),
            (&json!("status"), &json!("shipped"), &business),
        ], "{history}");
        assert_eq!(shop.get(&format!("{ORDERS}/order-9/history")).await.status, 404);
    }

    async fn a_person_outside_the_window_gets_a_template(shop = shop) {
        let free = with(order("order-1"), &json!({"target": BEN, "body": "Please pay."}));
        let answer = shop.post(ORDERS, &free).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (400, "window_closed"), "{}", answer.text);
        golden!("sent_by_template", shop.good(ORDERS, &by_template(BEN, "order-1")).await);
        let got = shop.inbox(BEN).await.pop().unwrap();
        assert_eq!((got.text.as_str(), got.buttons.len()), ("Hello Ben, your order is ready.", 1));
    }

    async fn a_dry_run_says_what_would_happen_and_keeps_nothing(shop = shop) {
        let before = shop.stored().await;
        let dry = format!("{ORDERS}?dry_run=true");
        let would = shop.good(&dry, &to_ada("order-1")).await;
        assert_eq!((&would["dry_run"], &would["would_send"]), (&json!(true), &json!(true)));
        let closed = with(order("order-1"), &json!({"target": BEN, "body": "Please pay."}));
        golden!("dry_refused", shop.good(&dry, &closed).await);
        assert_eq!(shop.stored().await, before);
        assert_eq!(shop.get(&format!("{ORDERS}/order-1")).await.status, 404);
        shop.good(ORDERS, &to_ada("order-1")).await;
        let path = format!("{ORDERS}/order-1/status?dry_run=true");
        let would = shop.put(&path, &json!({"status": "shipped", "body": "Sent."})).await.ok();
        assert_eq!(would["would_send"], true);
        assert_eq!(shop.get(&format!("{ORDERS}/order-1")).await.ok()["order"]["status"], "pending");
    }

    async fn the_same_key_has_the_first_answer_and_sends_once(shop = shop) {
        let keyed = async || {
            let request = request("POST", ORDERS, Some(&shop.token)).header("content-type", "application/json");
            let request = request.header("idempotency-key", "order-1");
            shop.send(request.body(Body::from(to_ada("order-1").to_string())).unwrap()).await
        };
        let first = keyed().await;
        assert_eq!(first.status, 200, "{}", first.text);
        let before = shop.stored().await;
        let again = keyed().await;
        assert_eq!((again.text, again.headers["idempotent-replayed"].to_str().unwrap()), (first.text, "true"));
        assert_eq!(shop.stored().await, before);
        let reused = shop.post(ORDERS, &to_ada("order-1")).await;
        assert_eq!((reused.status.as_u16(), reused.json()["parameter"].as_str()), (409, Some("reference_id")));
    }

    async fn orders_are_listed_and_filtered(shop = shop) {
        for reference in ["order-1", "order-2", "order-3"] {
            shop.good(ORDERS, &to_ada(reference)).await;
            shop.later(60).await;
        }
        shop.good(ORDERS, &by_template(BEN, "order-4")).await;
        shop.put(&format!("{ORDERS}/order-2/status"), &json!({"status": "canceled", "body": "Sorry."})).await.ok();
        let references = async |query: &str| {
            let page = shop.get(&format!("{ORDERS}?{query}")).await.ok();
            let orders = page["orders"].as_array().unwrap().clone();
            let names: Vec<_> = orders.iter().map(|one| one["reference_id"].as_str().unwrap().to_owned()).collect();
            (names.join(" "), page["next_cursor"].as_str().map(str::to_owned))
        };
        assert_eq!(references("").await.0, "order-4 order-3 order-2 order-1");
        let (first, cursor) = references("limit=3").await;
        assert_eq!(first, "order-4 order-3 order-2");
        assert_eq!(references(&format!("limit=3&cursor={}", cursor.unwrap())).await, ("order-1".to_owned(), None));
        for (query, names) in [
            ("status=canceled".to_owned(), "order-2"),
            ("status=shipped".to_owned(), ""),
            ("payment_status=pending".to_owned(), "order-4 order-3 order-2 order-1"),
            ("payment_status=captured".to_owned(), ""),
            (format!("target={BEN}"), "order-4"),
            (format!("target={ADA}&status=pending"), "order-3 order-1"),
            ("date_from=2100-01-01".to_owned(), ""),
            ("date_to=2000-01-01".to_owned(), ""),
        ] {
            assert_eq!(references(&query).await.0, names, "{query}");
        }
        let created = shop.get(&format!("{ORDERS}/order-2")).await.ok()["created"].as_str().unwrap().to_owned();
        assert_eq!(references(&format!("date_from={created}&date_to={created}")).await.0, "order-2");
        let page = shop.get(&format!("{ORDERS}?limit=1")).await.ok();
        golden!("page", page);
        let always = (Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX));
        let counted = shop.app.commerce().orders().counts(&app::Command(shop.tenant()), always).await.unwrap();
        let sum = counted.counts.iter().fold((0, 0), |sum, one| (sum.0 + one.orders, sum.1 + one.total));
        assert_eq!((sum, counted.is_complete), ((4, 4 * 27_950), true));
        let never = (always.0, always.0);
        assert!(shop.app.commerce().orders().counts(&app::Command(shop.tenant()), never).await.unwrap().counts.is_empty());
    }

    async fn a_reference_of_another_tenant_does_not_exist(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        let other = shop.test.new_tenant("unlimited").await;
        let foreign = shop.token(other, &["payment:write"]).await;
        for path in [format!("{ORDERS}/order-1"), "/api/ext/v3/payments/order-1".to_owned()] {
            let answer = shop.by(&foreign).get(&path).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{path}");
        }
        let listed = shop.by(&foreign).get(ORDERS).await.json();
        assert_eq!(listed["orders"], json!([]));
    }
}
