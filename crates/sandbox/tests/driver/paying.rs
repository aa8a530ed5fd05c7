//! Orders are paid, or not.

use app::Error;
use channels::webhook::{PaymentReport, Record, What};
use sandbox::driver::{Outcome, Pay};
use serde_json::{Value, json};

use crate::on_both;
use crate::world::{ADA, World};

fn order(reference: &str) -> Value {
    let amount = json!({ "value": 21_000, "offset": 100 });
    json!({ "to": ADA, "type": "interactive", "interactive": {
        "type": "order_details",
        "body": { "text": "Your order" },
        "action": { "name": "review_and_pay", "parameters": {
            "reference_id": reference,
            "type": "digital-goods",
            "payment_type": "payment_gateway:razorpay",
            "payment_configuration": "shop",
            "payment_settings": [{
                "type": "payment_gateway",
                "payment_gateway": { "type": "razorpay", "configuration_name": "shop" },
            }],
            "currency": "INR",
            "total_amount": amount,
            "order": {
                "status": "pending",
                "items": [{ "retailer_id": "tea", "name": "Tea", "amount": amount, "quantity": 1 }],
                "subtotal": amount,
                "tax": { "value": 0, "offset": 100 },
            },
        } },
    } })
}

async fn ordered(world: &World, reference: &str) -> String {
    world.says("I want tea").await;
    let id = world.send(order(reference)).await;
    world.advance(1);
    world.posts().await;
    id
}

fn payments(records: &[Record]) -> Vec<PaymentReport> {
    let report = |record: &Record| match &record.what {
        What::Payment(report) => Some((**report).clone()),
        _ => None,
    };
    records.iter().filter_map(report).collect()
}

async fn looked_up(world: &World, reference: &str) -> Value {
    let path = format!("{}/payments/shop/{reference}", world.channel.phone_number_id);
    world.look_up(&path).await.1["payments"][0].clone()
}

on_both! {
    async fn a_payment_is_told_and_can_be_looked_up(world) {
        let message = ordered(&world, "order-1").await;
        let paid = world.sandbox.pay(world.tenant(), ADA, Pay::default()).await.unwrap();
        assert_eq!((&paid.message, paid.status.as_str()), (&message, "captured"));
        let told = payments(&world.records().await);
        assert_eq!((told.len(), told[0].status.as_str(), told[0].reference_id.as_str()), (1, "captured", "order-1"));
        assert_eq!(told[0].amount.as_ref().unwrap().value, 21_000);
        let found = looked_up(&world, "order-1").await;
        assert_eq!((&found["status"], &found["transactions"][0]["id"]), (&json!("captured"), &json!(paid.transactions[0])));
        let again = world.sandbox.pay(world.tenant(), ADA, Pay { message: Some(message), ..Pay::default() }).await;
        assert!(matches!(again, Err(Error::Conflict { .. })));
        let other = world.sandbox.pay(world.tenant(), ADA, Pay::default()).await;
        assert!(matches!(other, Err(Error::NotFound("order"))));
        let stranger = Pay { reference_id: Some("order-1".to_owned()), ..Pay::default() };
        assert!(matches!(world.sandbox.pay(world.tenant(), "@deepa_rao", stranger).await, Err(Error::NotFound("order"))));
    }

    async fn payments_go_wrong_in_every_way(world) {
        for (place, (outcome, told_now, told_later, looked)) in [
            (Outcome::Failed, 1, 0, "failed"),
            (Outcome::Pending, 1, 0, "pending"),
            (Outcome::Twice, 1, 1, "captured"),
            (Outcome::Refunded, 1, 1, "captured"),
            (Outcome::Late, 0, 1, "captured"),
            (Outcome::Lost, 0, 0, "captured"),
            (Outcome::Disagree, 1, 0, "pending"),
        ].into_iter().enumerate() {
            let reference = format!("order-{place}");
            ordered(&world, &reference).await;
            let pay = Pay { reference_id: Some(reference.clone()), outcome, ..Pay::default() };
            world.sandbox.pay(world.tenant(), ADA, pay).await.unwrap();
            assert_eq!(payments(&world.records().await).len(), told_now, "{outcome:?}");
            assert_eq!(looked_up(&world, &reference).await["status"], looked, "{outcome:?}");
            world.advance(3600);
            assert_eq!(payments(&world.records().await).len(), told_later, "{outcome:?}");
        }
        let refunded = looked_up(&world, "order-3").await;
        assert_eq!(refunded["transactions"][0]["refunds"][0]["status"], "completed", "{refunded}");
        assert_eq!(looked_up(&world, "order-2").await["transactions"].as_array().unwrap().len(), 2);
    }
}
