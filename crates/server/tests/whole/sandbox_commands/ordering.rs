//! `switchboard order` next to a running server: an order that was sent over the API and paid in the sandbox is listed,
//! shown and exported.

use serde_json::{Value, json};

use super::shop::{ADA, Shop};
use crate::{eventually, http};

fn order(reference: &str) -> Value {
    let amount = json!({"value": 21_050, "offset": 100});
    json!({
        "target": ADA, "reference_id": reference, "type": "digital-goods", "currency": "INR", "total_amount": amount,
        "payment_configuration": "till", "body": "Please pay.",
        "order": {"items": [{"retailer_id": "tea", "name": "Tea", "amount": amount, "quantity": 1}]},
    })
}

/// Sends an order over the API and waits until it is on Ada's phone.
async fn sent(shop: &Shop, reference: &str) {
    let request = http().post(shop.server.url("/api/ext/v3/orders")).bearer_auth(shop.server.token());
    let answer = request.json(&order(reference)).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    let inbox = format!("sandbox inbox --person {ADA}");
    let arrived =
        async || shop.run(&inbox)["messages"].as_array()?.iter().find(|one| one["text"] == "Please pay.").cloned();
    eventually("the order is in the inbox", arrived).await;
}

#[tokio::test]
async fn a_paid_order_is_listed_shown_and_exported() {
    let shop = Shop::open().greeted();
    let tenant = crate::inbound::TENANT;
    assert_eq!(shop.run(&format!("order list --tenant {tenant}")), json!([]));
    sent(&shop, "order-1").await;
    shop.run(&format!("sandbox pay --person {ADA} --reference-id order-1"));
    let one = format!("order show order-1 --tenant {tenant}");
    // True after the last change that follows from the payment and the message.
    let is_over = |order: &Value| {
        order["payment"]["status"] == "captured"
            && order["payment"]["sources"].as_array().is_some_and(|sources| sources.len() == 3)
            && order["provenance"]["message_status"] == "read"
    };
    let is_captured = async || Some(shop.run(&one)).filter(is_over);
    let shown = eventually("the payment is confirmed", is_captured).await;
    assert_eq!(shown["payment"]["sources"], json!(["business", "webhook", "lookup"]));
    let text = shop.text(&one);
    assert!(text.contains("210.50 INR") && text.contains("1 × Tea at 210.50 INR"), "{text}");

    let listed = shop.run(&format!("order list --tenant {tenant} --payment-status captured --target {ADA}"));
    assert_eq!(listed, json!([shown]));
    assert_eq!(shop.run(&format!("order list --tenant {tenant} --status canceled")), json!([]));
    let text = shop.text(&format!("order list --tenant {tenant}"));
    assert!(text.contains("order-1") && text.contains("captured") && text.contains("210.50 INR"), "{text}");

    let export = format!("order export --tenant {tenant} --output orders.jsonl");
    assert_eq!(shop.run(&export), json!({"file": "orders.jsonl", "format": "jsonl", "orders": 1}));
    let file = std::fs::read_to_string(shop.home.file("orders.jsonl")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&file).unwrap(), shown);
    let again = shop.fails(1, &export);
    assert!(again.message.contains("already exists"), "{again:?}");
    let csv = shop.text(&format!("order export --tenant {tenant} --date-from 2000-01-01"));
    assert!(
        csv.lines().count() == 2 && csv.contains("\norder-1,digital-goods,pending,captured,21050,21050,0,,,100,INR,"),
        "{csv}"
    );
}

#[tokio::test]
async fn wrong_arguments_are_errors() {
    let shop = Shop::open();
    let tenant = crate::inbound::TENANT;
    assert_eq!(shop.fails(1, &format!("order show none --tenant {tenant}")).kind, "not_found");
    assert_eq!(shop.fails(1, "order list --tenant 999999").kind, "not_found");
    for wrong in ["--status lost", "--payment-status paid", "--date-from yesterday", "--limit 0"] {
        assert_eq!(shop.fails(2, &format!("order list --tenant {tenant} {wrong}")).kind, "usage", "{wrong}");
    }
    assert_eq!(shop.fails(1, &format!("order list --tenant {tenant} --target nobody")).kind, "not_found");
    assert_eq!(shop.fails(2, &format!("order export --tenant {tenant} --format xml")).kind, "usage");
}
