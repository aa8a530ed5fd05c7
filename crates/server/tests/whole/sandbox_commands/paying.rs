//! Payments of orders.

use channels::graph::PaymentSetting;
use channels::graph::{
    Amount, Charge, Content, Gateway, Goods, Interaction, OrderContents, OrderDetails, OrderItem, OrderState,
};
use serde_json::json;

use super::shop::{ADA, Shop, interactive};

const PRICE: Amount = Amount { value: 21_000, offset: 100 };
const GATEWAY: &str = "till";

fn order(reference_id: &str) -> Content {
    let item = OrderItem {
        retailer_id: "tea".to_owned(),
        name: "Tea".to_owned(),
        amount: PRICE,
        sale_amount: None,
        quantity: 1,
    };
    let free = Charge { amount: Amount { value: 0, offset: 100 }, description: None, discount_program_name: None };
    let gateway = Gateway { kind: "razorpay".to_owned(), configuration_name: GATEWAY.to_owned(), extra: None };
    let details = OrderDetails {
        reference_id: reference_id.to_owned(),
        goods: Goods::DigitalGoods,
        payment_type: None,
        payment_configuration: None,
        payment_settings: vec![PaymentSetting::PaymentGateway(gateway)],
        currency: "INR".to_owned(),
        total_amount: PRICE,
        beneficiaries: Vec::new(),
        order: OrderContents {
            status: OrderState::Pending,
            catalog_id: None,
            expiration: None,
            items: vec![item],
            subtotal: PRICE,
            tax: free,
            shipping: None,
            discount: None,
        },
    };
    interactive("Your order", Interaction::OrderDetails(Box::new(details)))
}

#[tokio::test]
async fn a_payment_is_reported_and_can_be_looked_up() {
    let shop = Shop::open().greeted();
    let asked = shop.reach(order("order-1")).await;
    let failure = shop.fails(1, &format!("sandbox tap --person {ADA} 0"));
    assert!(failure.kind == "invalid" && failure.message.contains("use pay"), "{failure:?}");
    let paid = shop.run(&format!("sandbox pay --person {ADA}"));
    let expected = json!({"message": asked, "reference_id": "order-1", "outcome": "captured", "status": "captured"});
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(paid[member], *value, "{paid}");
    }
    let report = shop.report("payment", "order-1").await;
    assert!(report.doc.contains("captured") && report.doc.contains(paid["transactions"][0].as_str().unwrap()));
    let found = shop.graph.payment(GATEWAY, "order-1").await.unwrap().unwrap();
    assert_eq!((found.status.as_str(), found.amount, found.transactions.len()), ("captured", Some(PRICE), 1));
    let again = shop.fails(1, &format!("sandbox pay --person {ADA} --reference-id order-1"));
    assert_eq!(again.kind, "conflict", "{again:?}");
    assert_eq!(shop.fails(1, &format!("sandbox pay --person {ADA}")).kind, "not_found");
}

#[tokio::test]
async fn a_payment_can_fail_and_be_tried_again() {
    let shop = Shop::open().greeted();
    let asked = shop.reach(order("order-2")).await;
    let text = shop.text(&format!("sandbox pay --person {ADA} --message {asked} --outcome failed"));
    assert!(text.contains("outcome: failed\n") && text.contains("status: failed\n"), "{text}");
    assert!(shop.report("payment", "order-2").await.doc.contains("failed"));
    let failure = shop.fails(1, &format!("sandbox pay --person {ADA} --outcome perhaps"));
    assert_eq!(failure.kind, "invalid", "{failure:?}");
    let failure = shop.fails(1, &format!("sandbox pay --person {ADA} --outcome lost --after-seconds 5"));
    assert!(failure.kind == "invalid" && failure.message.contains("lost"), "{failure:?}");
    assert_eq!(shop.run(&format!("sandbox pay --person {ADA}"))["status"], "captured");
    let found = shop.graph.payment(GATEWAY, "order-2").await.unwrap().unwrap();
    assert_eq!((found.status.as_str(), found.transactions.len()), ("captured", 2));
}
