//! Orders through the public interface: money, a table of refused orders, sums, and moves.

mod bad;
mod money;
mod moves;
mod sums;

use bad::{BAD, base};
use domain::commerce::money::Amount;
use domain::commerce::orders::{Charge, Goods, NewOrder, OrderDocument, OrderStatus, Reference};
use serde_json::json;

#[test]
fn the_base_of_the_table_is_valid() {
    let order = base().check().unwrap();
    assert_eq!((order.goods, order.currency.code()), (Goods::PhysicalGoods, "INR"));
    assert_eq!((order.order.status, order.order.items_cost()), (OrderStatus::Pending, Ok(Amount::new(2500))));
    assert_eq!(order.order.cost(), Ok(order.total_amount));
}

#[test]
fn every_bad_order_is_refused_at_its_member() {
    for (number, (change, problems)) in BAD.iter().enumerate() {
        let mut new = base();
        change(&mut new);
        let found = new.check().expect_err(&format!("row {number}: {problems:?}"));
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, *problems, "row {number}");
    }
    assert!(BAD.len() >= 50, "{}", BAD.len());
}

#[test]
fn what_may_be_left_out() {
    let mut new = base();
    new.order.subtotal = None;
    new.order.status = None;
    assert_eq!(new.check(), base().check());
    new.order.tax = None;
    new.order.shipping = None;
    new.order.discount = None;
    new.total_amount = Some(Amount::new(2500));
    let order = new.check().unwrap();
    assert_eq!((order.order.tax, order.order.shipping), (Charge::new(Amount::ZERO), None));
}

#[test]
fn an_order_is_serialized_and_parsed_back() {
    let text = serde_json::to_string(&base()).unwrap();
    assert_eq!(serde_json::from_str::<NewOrder>(&text).unwrap(), base());
    let order = base().check().unwrap();
    let written = serde_json::to_value(&order).unwrap();
    let amount = |value: i64| json!({ "value": value, "offset": 100 });
    assert_eq!(
        written,
        json!({
            "reference_id": "order-2026.04_17",
            "type": "physical-goods",
            "currency": "INR",
            "total_amount": amount(2600),
            "order": {
                "status": "pending",
                "items": [
                    { "retailer_id": "tea", "name": "Tea", "amount": amount(1000), "sale_amount": amount(750), "quantity": 2 },
                    { "retailer_id": "cup", "name": "Cup", "amount": amount(1000), "quantity": 1 },
                ],
                "subtotal": amount(2500),
                "tax": { "value": 200, "offset": 100, "description": "GST" },
                "shipping": amount(100),
                "discount": { "value": 200, "offset": 100, "discount_program_name": "Spring" },
            },
            "payment_configuration": "shop",
            "payment_type": "payment_gateway:razorpay",
        })
    );
    assert_eq!(serde_json::from_value::<OrderDocument>(written).unwrap(), order);
    // The serialized order passes the check again.
    assert_eq!(serde_json::from_str::<NewOrder>(&serde_json::to_string(&order).unwrap()).unwrap().check(), Ok(order));
}

#[test]
fn floats_texts_and_too_large_numbers_are_not_parsed() {
    for value in ["2600.0", "2600.5", "\"2600\"", "9223372036854775808", "-9223372036854775809", "1e3", "null"] {
        let text = format!(r#"{{"total_amount":{{"value":{value},"offset":100}}}}"#);
        assert!(serde_json::from_str::<NewOrder>(&text).is_err(), "{value}");
    }
}

#[test]
fn references() {
    let longest = "x".repeat(35);
    for good in ["a", "A-Z_0.9", "-", ".", longest.as_str()] {
        assert_eq!(good.parse::<Reference>().unwrap().as_str(), good);
    }
    let long = "x".repeat(36);
    for bad in ["", " ", "a b", "a/b", "ä", "a\n", "a\0", "№1", "a+b", "a%2Fb", long.as_str()] {
        assert!(bad.parse::<Reference>().is_err(), "{bad:?}");
    }
    assert!(serde_json::from_str::<Reference>("\"a b\"").is_err());
}

#[test]
fn every_limit_of_an_order_is_allowed() {
    let mut new = base();
    new.reference_id = "x".repeat(35);
    new.payment_configuration = Some("é".repeat(60));
    new.payment_type = Some("é".repeat(60));
    let mut item = new.order.items[1].clone();
    (item.retailer_id, item.name) = ("é".repeat(256), "é".repeat(60));
    item.sale_amount = item.amount;
    new.order.items = vec![item; 999];
    new.order.subtotal = None;
    new.order.tax.as_mut().unwrap().description = Some("é".repeat(60));
    new.order.discount.as_mut().unwrap().discount_program_name = Some("é".repeat(60));
    new.total_amount = Some(Amount::new(999_000 + 100));
    let order = new.check().unwrap();
    assert_eq!((order.order.items.len(), order.order.subtotal), (999, Amount::new(999_000)));
    assert_eq!(order.reference_id.to_string(), "x".repeat(35));
}

#[test]
fn an_order_may_cost_as_little_as_one() {
    let mut new = base();
    new.order.discount.as_mut().unwrap().amount = Amount::new(2799);
    new.total_amount = Some(Amount::new(1));
    assert_eq!(new.check().map(|order| order.total_amount), Ok(Amount::new(1)));
}
