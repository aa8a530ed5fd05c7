//! Orders counted by day, payment status and currency, for the console's reports.

use sandbox::driver::Outcome;

use super::*;
use crate::orders::world::{ADA, ORDERS, Shop as _, shop, to_ada};

const COUNTS: &str = "/console/api/order-counts";

testkit::both_databases! {
    async fn orders_are_counted_by_day_status_and_currency(shop = shop) {
        let operator = logged_in(&shop, "ada", Role::Operator).await;
        let none = operator.get(&shop, COUNTS).await.ok();
        assert_eq!(none, json!({"counts": [], "is_complete": true}));
        for reference in ["order-1", "order-2", "order-3"] {
            shop.good(ORDERS, &to_ada(reference)).await;
        }
        shop.pay(ADA, "order-1", Outcome::Captured).await;
        shop.look_up().await;
        let found = operator.get(&shop, COUNTS).await.ok();
        let day = found["counts"][0]["day"].as_str().unwrap();
        let mut counted: Vec<_> = found["counts"].as_array().unwrap().iter().map(|one| {
            assert_eq!((one["day"].as_str(), &one["total"]["offset"]), (Some(day), &json!(100)));
            (text(&one["payment_status"]), text(&one["currency"]), one["orders"].as_i64(), one["total"]["value"].as_i64())
        }).collect();
        counted.sort_unstable();
        let [(paid, _, ones, total), (_, currency, twos, totals)] = counted.as_slice() else { panic!("{found}") };
        assert_eq!((paid.as_str(), *ones, *twos, found["is_complete"].as_bool()), ("captured", Some(1), Some(2), Some(true)));
        assert_eq!((total.map(|one| 2 * one), currency.len()), (*totals, 3));
        for (range, orders) in [
            (format!("?date_from={day}&date_to={day}"), 3),
            ("?date_to=2020-01-01".to_owned(), 0),
            ("?date_from=2099-01-01".to_owned(), 0),
        ] {
            let found = operator.get(&shop, &format!("{COUNTS}{range}")).await.ok();
            let counts = found["counts"].as_array().unwrap();
            assert_eq!(counts.iter().map(|one| one["orders"].as_i64().unwrap()).sum::<i64>(), orders, "{range}");
        }
        for (query, parameter) in [("?date_from=x", "date_from"), ("?date_from=2026-02-02&date_to=2026-01-01", "date_from")] {
            let refused = operator.get(&shop, &format!("{COUNTS}{query}")).await;
            assert_eq!(refused.status, 400, "{query}: {}", refused.text);
            assert!(refused.text.contains(parameter), "{}", refused.text);
        }
        let stranger = send(&shop, "GET", COUNTS, &[], &json!({})).await;
        assert_eq!(stranger.status, 401);
    }
}
