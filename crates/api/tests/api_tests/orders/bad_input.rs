//! Invalid orders: both versions refuse each of them at the same member, and store nothing.

use serde_json::{Value, json};

use crate::orders::world::{BEN, ORDERS, Shop as _, amount, by_template, shop, to_ada, with};

const OVERFLOW: &str = "is too large";

/// An order with one value changed, at this JSON pointer.
fn but(pointer: &str, value: Value) -> Value {
    let mut body = to_ada("order-1");
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap()[member] = value;
    body
}

/// Body, member and message of orders that both versions refuse.
fn wrong() -> Vec<(Value, &'static str, &'static str)> {
    let item = "/order/items/0";
    let at = |member: &str, value: Value| but(&format!("{item}/{member}"), value);
    vec![
        (
            but("/total_amount", amount(27_951)),
            "total_amount.value",
            "is 27951, but must equal items 24500 + tax 2450 + shipping 3000 - discount 2000: 1 too much",
        ),
        (
            but("/total_amount", amount(27_949)),
            "total_amount.value",
            "is 27949, but must equal items 24500 + tax 2450 + shipping 3000 - discount 2000: 1 too little",
        ),
        (
            but("/order/subtotal", amount(24_499)),
            "order.subtotal.value",
            "is 24499, but the items add up to 24500: 1 too little",
        ),
        (but("/total_amount", amount(-1)), "total_amount.value", "must not be negative"),
        (but("/total_amount", amount(0)), "total_amount.value", "must be at least 1"),
        (but("/total_amount", json!({"value": 27_950, "offset": 1000})), "total_amount.offset", "must be 100"),
        (at("amount", amount(-1)), "order.items[0].amount.value", "must not be negative"),
        (at("amount", amount(i64::MAX)), "order.items[0].quantity", "times the amount is too large"),
        (at("quantity", json!(0)), "order.items[0].quantity", "must be at least 1"),
        (at("sale_amount", amount(10_001)), "order.items[0].sale_amount.value", "must not exceed the amount"),
        (at("name", json!("x".repeat(61))), "order.items[0].name", "61 characters, at most 60"),
        (at("retailer_id", json!("")), "order.items[0].retailer_id", "is empty"),
        (but("/order/items", json!([])), "order.items", "0 entries, expected 1 to 999"),
        (but("/order/status", json!("shipped")), "order.status", "a new order must be pending"),
        (but("/order/tax/value", json!(-5)), "order.tax.value", "must not be negative"),
        (
            but("/order/tax/discount_program_name", json!("x")),
            "order.tax.discount_program_name",
            "is only allowed for a discount",
        ),
        (but("/currency", json!("XXX")), "currency", "expected an active ISO 4217 currency, such as INR"),
        (but("/currency", json!("inr")), "currency", "expected an active ISO 4217 currency, such as INR"),
        (but("/currency", json!("JPY")), "order.tax.value", "expected a multiple of 100: JPY has no smaller unit"),
        (but("/type", json!("goods")), "type", "expected digital-goods or physical-goods"),
        (
            but("/reference_id", json!("order 1")),
            "reference_id",
            "expected 1 to 35 characters: A-Z, a-z, 0-9, _ . and -",
        ),
        (
            but("/reference_id", json!("x".repeat(36))),
            "reference_id",
            "expected 1 to 35 characters: A-Z, a-z, 0-9, _ . and -",
        ),
        (but("/payment_configuration", json!("x".repeat(61))), "payment_configuration", "61 characters, at most 60"),
    ]
}

/// Body, member and message of orders that cannot be parsed.
fn unread() -> Vec<(Value, &'static str, &'static str)> {
    let at = |member: &str, value: Value| but(&format!("/order/items/1/{member}"), value);
    vec![
        (but("/total_amount", json!({"value": 279.5, "offset": 100})), "total_amount.value", "a whole number"),
        (but("/total_amount", json!({"value": "27950", "offset": 100})), "total_amount.value", "a whole number"),
        (
            but("/total_amount", json!({"value": 9_223_372_036_854_775_808_u64, "offset": 100})),
            "total_amount.value",
            OVERFLOW,
        ),
        (but("/total_amount", json!({"value": 27_950})), "total_amount.offset", "is required"),
        (but("/total_amount", json!(27_950)), "total_amount", "an object with value and offset"),
        (at("amount", json!({"value": 1e3, "offset": 100})), "order.items[1].amount.value", "a whole number"),
        (at("quantity", json!(1.5)), "order.items[1].quantity", "a whole number"),
        (at("quantity", json!("1")), "order.items[1].quantity", "a whole number"),
        (at("name", json!(7)), "order.items[1].name", "expected a string"),
        (but("/order/tax", json!({"value": 24.5, "offset": 100})), "order.tax.value", "a whole number"),
        (but("/order/items", json!("tea")), "order.items", "expected a list"),
    ]
}

const NEEDED: [&str; 5] = ["reference_id", "type", "currency", "total_amount", "order"];

fn without(member: &str) -> Value {
    let mut body = to_ada("order-1");
    body.as_object_mut().unwrap().remove(member);
    body
}

testkit::both_databases! {
    async fn each_is_refused_at_its_member_in_both_versions(shop = shop) {
        let before = shop.stored().await;
        for path in [ORDERS.to_owned(), shop.v1("order_details")] {
            for (body, member, said) in wrong() {
                let answer = shop.post(&path, &body).await;
                let reply = answer.json();
                assert_eq!((answer.status.as_u16(), &reply["code"]), (400, &json!(40001)), "{member}: {}", answer.text);
                assert!(reply["parameter"].as_str().unwrap().starts_with(member), "{member}: {}", answer.text);
                assert!(reply["message"].as_str().unwrap().ends_with(said), "{said}: {}", answer.text);
            }
            let missing = NEEDED.map(|member| (without(member), member, "is required"));
            for (body, place, said) in unread().into_iter().chain(missing) {
                let answer = shop.post(&path, &body).await;
                let reply = answer.json();
                assert_eq!((answer.status.as_u16(), &reply["code"]), (400, &json!(40002)), "{place}: {}", answer.text);
                assert_eq!(reply["parameter"], place, "{}", answer.text);
                assert!(reply["message"].as_str().unwrap().contains(said), "{said}: {}", answer.text);
            }
        }
        assert_eq!(shop.stored().await, before);
    }

    async fn the_message_must_make_sense_too(shop = shop) {
        let before = shop.stored().await;
        for (members, code, place) in [
            (json!({"body": ""}), 40002, "body"),
            (json!({"body": 7}), 40002, "body"),
            (json!({"body": "x".repeat(1025)}), 40001, "body"),
            (json!({"footer": "x".repeat(61)}), 40001, "footer"),
            (json!({"header": {"type": "poll"}}), 40001, "header.type"),
            (json!({"template_name": "order_ready"}), 40001, "template_name"),
            (json!({"target": "nobody"}), 40001, "target"),
            (json!({"local_message_id": "x".repeat(65)}), 40001, "local_message_id"),
        ] {
            let answer = shop.post(ORDERS, &with(to_ada("order-1"), &members)).await;
            let reply = answer.json();
            assert_eq!((&reply["code"], &reply["parameter"]), (&json!(code), &json!(place)), "{members}: {}", answer.text);
        }
        for (path, place) in [("order_details", "body"), ("order_details_template", "template_name")] {
            let answer = shop.post(&shop.v1(path), &with(to_ada("order-1"), &json!({"body": null}))).await;
            assert_eq!(answer.json()["parameter"], place, "{}", answer.text);
        }
        let without_target = with(to_ada("order-1"), &json!({"target": null}));
        assert_eq!(shop.post(&shop.v1("order_details"), &without_target).await.json()["parameter"], "whatsappNumber");
        assert_eq!(shop.stored().await, before);
    }

    async fn a_template_must_fit(shop = shop) {
        let before = shop.stored().await;
        let param = |name: &str| json!([{"name": name, "value": "Ben"}]);
        for (members, code, place, info) in [
            (json!({"template_name": "nothing"}), 40001, "template_name", "template_name: there is no such template"),
            (json!({"language": "de"}), 40001, "template_name", "template_name: there is no such template"),
            (json!({"template_name": "order_news"}), 40001, "template_name", "template_name: "),
            (json!({"custom_params": []}), 40001, "custom_params", "parameters: no value for \"name\""),
            (json!({"custom_params": param("nobody")}), 40001, "custom_params", "parameters: no value for \"name\""),
            (json!({"target": "11111111111"}), 40001, "target", "target: "),
            (json!({"target": "nobody"}), 40001, "target", "target: "),
            (json!({"target": format!("Elsewhere:{BEN}")}), 40401, "target", "target: "),
        ] {
            let body = with(by_template(BEN, "order-1"), &members);
            let answer = shop.post(ORDERS, &body).await;
            let reply = answer.json();
            assert_eq!((&reply["code"], &reply["parameter"]), (&json!(code), &json!(place)), "{members}: {}", answer.text);
            let v1 = shop.post(&shop.v1("order_details_template"), &body).await;
            assert_eq!((v1.status.as_u16(), &v1.json()["result"]), (200, &json!(false)), "{members}: {}", v1.text);
            assert!(v1.json()["info"].as_str().unwrap().starts_with(info), "{members}: {}", v1.text);
        }
        assert_eq!(shop.stored().await, before);
    }

    async fn filters_say_what_they_expect(shop = shop) {
        for list in [ORDERS.to_owned(), format!("{ORDERS}/export")] {
            for (query, parameter) in [
                ("status=sent", "status"),
                ("payment_status=paid", "payment_status"),
                ("payment_stage=captured", "payment_stage"),
                ("date_from=yesterday", "date_from"),
                ("date_from=2026-05-01&date_to=2026-04-01", "date_from"),
                ("status=pending&status=shipped", "status"),
            ] {
                let answer = shop.get(&format!("{list}?{query}")).await;
                assert_eq!((answer.status.as_u16(), answer.json()["parameter"].as_str()), (400, Some(parameter)), "{query}");
            }
            for target in ["nobody", "14155559999"] {
                let answer = shop.get(&format!("{list}?target={target}")).await;
                assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{target}: {}", answer.text);
            }
        }
        for (query, parameter) in [("limit=0", "limit"), ("limit=101", "limit"), ("cursor=abc", "cursor")] {
            let answer = shop.get(&format!("{ORDERS}?{query}")).await;
            assert_eq!((answer.status.as_u16(), answer.json()["parameter"].as_str()), (400, Some(parameter)), "{query}");
        }
        let answer = shop.get(&format!("{ORDERS}/export?format=xml")).await;
        assert_eq!((answer.status.as_u16(), answer.json()["parameter"].as_str()), (400, Some("format")));
    }
}
