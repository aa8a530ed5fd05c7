//! Files of orders and payments.

use sandbox::driver::Outcome;
use serde_json::{Value, json};

use crate::orders::world::{ADA, BEN, ORDERS, Shop as _, by_template, shop, to_ada, with};

testkit::both_databases! {
    async fn orders_leave_with_their_payments_in_both_formats(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        shop.pay(ADA, "order-1", Outcome::Captured).await;
        shop.look_up().await;
        let run = with(by_template(BEN, "order-2"), &json!({"payment_configuration": "=cmd()"}));
        shop.good(ORDERS, &run).await;

        let lines = shop.get(&format!("{ORDERS}/export?format=jsonl")).await;
        assert_eq!(lines.headers["content-type"], "application/x-ndjson");
        assert_eq!(lines.headers["content-disposition"], "attachment; filename=\"orders.jsonl\"");
        let lines: Vec<Value> = lines.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        for line in &lines {
            let path = format!("{ORDERS}/{}", line["reference_id"].as_str().unwrap());
            assert_eq!(*line, shop.get(&path).await.ok());
        }

        let file = shop.get(&format!("{ORDERS}/export")).await;
        assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
        let mut rows = file.text.lines();
        assert_eq!(rows.next().unwrap(), HEADER);
        let rows: Vec<&str> = rows.collect();
        let of = |reference: &str| *rows.iter().find(|row| row.starts_with(reference)).unwrap();
        assert!(of("order-1").contains(",27950,24500,2450,3000,2000,100,INR,") && of("order-1").contains(",captured,"));
        assert!(of("order-2").contains(",'=cmd(),"), "{}", of("order-2"));
    }

    async fn the_filters_of_the_list_hold(shop = shop) {
        shop.good(ORDERS, &to_ada("order-1")).await;
        shop.good(ORDERS, &by_template(BEN, "order-2")).await;
        for (query, rows) in [("", 2), ("status=pending", 2), ("status=shipped", 0), ("payment_status=captured", 0), ("date_to=2000-01-01", 0)] {
            let file = shop.get(&format!("{ORDERS}/export?format=csv&{query}")).await;
            assert_eq!(file.text.lines().count(), rows + 1, "{query}: {}", file.text);
        }
        let bens = shop.get(&format!("{ORDERS}/export?format=ndjson&target={BEN}")).await;
        assert_eq!(serde_json::from_str::<Value>(&bens.text).unwrap()["reference_id"], "order-2");
    }
}

const HEADER: &str = "reference_id,type,status,payment_status,total,subtotal,tax,shipping,discount,offset,currency,items,\
                      payment_configuration,payment_type,target,pending_confirmation,captured_at,transactions,conflict,\
                      as_of,sources,source,operator_email,message_id,message_status,created,updated";
