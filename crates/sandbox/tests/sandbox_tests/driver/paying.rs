//! Payments of orders with every outcome.

use app::Error;
use channels::webhook::{Notification, PaymentReport, Record};
use sandbox::Reply;
use sandbox::driver::{Fail, Outcome, Pay};
use serde_json::{Value, json};

use crate::driver::world::{ADA, Street, TOKEN, street};

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

async fn ordered(world: &Street, reference: &str) -> String {
    world.says("I want tea").await;
    let id = world.send_message(order(reference)).await;
    world.advance(1);
    world.posts().await;
    id
}

fn payments(records: &[Record]) -> Vec<PaymentReport> {
    let report = |record: &Record| match &record.notification {
        Notification::Payment(report) => Some((**report).clone()),
        _ => None,
    };
    records.iter().filter_map(report).collect()
}

async fn looked_up(world: &Street, reference: &str) -> Value {
    let path = format!("{}/payments/shop/{reference}", world.channel.phone_number_id);
    world.look_up(&path).await.1["payments"][0].clone()
}

testkit::both_databases! {
    async fn a_payment_is_reported_and_can_be_looked_up(world = street) {
        let message = ordered(&world, "order-1").await;
        let paid = world.sandbox.pay(world.tenant(), ADA, Pay::default()).await.unwrap();
        assert_eq!((&paid.message, paid.status.as_str()), (&message, "captured"));
        let reported = payments(&world.records().await);
        assert_eq!((reported.len(), reported[0].status.as_str(), reported[0].reference_id.as_str()), (1, "captured", "order-1"));
        assert_eq!(reported[0].amount.as_ref().unwrap().value, 21_000);
        let found = looked_up(&world, "order-1").await;
        assert_eq!((&found["status"], &found["transactions"][0]["id"]), (&json!("captured"), &json!(paid.transactions[0])));
        let again = world.sandbox.pay(world.tenant(), ADA, Pay { message: Some(message), ..Pay::default() }).await;
        assert!(matches!(again, Err(Error::Conflict { .. })));
        let other = world.sandbox.pay(world.tenant(), ADA, Pay::default()).await;
        assert!(matches!(other, Err(Error::NotFound(app::Thing::Order))));
        let stranger = Pay { reference_id: Some("order-1".to_owned()), ..Pay::default() };
        assert!(matches!(world.sandbox.pay(world.tenant(), "@deepa_rao", stranger).await, Err(Error::NotFound(app::Thing::Order))));
    }

    async fn every_payment_outcome_is_reported_and_looked_up(world = street) {
        for (place, (outcome, reported_now, reported_later, looked)) in [
            (Outcome::Failed, 1, 0, "failed"),
            (Outcome::Pending, 1, 0, "pending"),
            (Outcome::Twice, 1, 1, "captured"),
            (Outcome::Refunded, 1, 1, "captured"),
            (Outcome::Late, 0, 1, "captured"),
            (Outcome::Lost, 0, 0, "captured"),
            (Outcome::Disagree, 1, 0, "pending"),
            (Outcome::OtherAmount, 1, 0, "captured"),
        ].into_iter().enumerate() {
            let reference = format!("order-{place}");
            ordered(&world, &reference).await;
            let pay = Pay { reference_id: Some(reference.clone()), outcome, ..Pay::default() };
            world.sandbox.pay(world.tenant(), ADA, pay).await.unwrap();
            assert_eq!(payments(&world.records().await).len(), reported_now, "{outcome:?}");
            assert_eq!(looked_up(&world, &reference).await["status"], looked, "{outcome:?}");
            world.advance(3600);
            assert_eq!(payments(&world.records().await).len(), reported_later, "{outcome:?}");
        }
        let refunded = looked_up(&world, "order-3").await;
        assert_eq!(refunded["transactions"][0]["refunds"][0]["status"], "completed", "{refunded}");
        assert_eq!(looked_up(&world, "order-2").await["transactions"].as_array().unwrap().len(), 2);
        let other = looked_up(&world, "order-7").await;
        assert_eq!((&other["amount"]["value"], &other["transactions"][0]["amount"]["value"]), (&json!(21_000), &json!(10_500)));
    }

    async fn a_payment_is_reported_after_the_requested_time(world = street) {
        ordered(&world, "order-1").await;
        let pay = |outcome, after| Pay { outcome, after_seconds: Some(after), ..Pay::default() };
        for (bad, why) in [(pay(Outcome::Lost, 1), "lost"), (pay(Outcome::Captured, 604_801), "week")] {
            let refused = world.sandbox.pay(world.tenant(), ADA, bad).await.unwrap_err();
            assert!(matches!(&refused, Error::Invalid { .. }) && refused.to_string().contains(why), "{refused}");
        }
        let paid_at = world.app.now();
        world.sandbox.pay(world.tenant(), ADA, pay(Outcome::Late, 30)).await.unwrap();
        world.advance(29);
        assert_eq!(payments(&world.records().await), []);
        world.advance(1);
        let reported = payments(&world.records().await);
        assert_eq!((reported.len(), reported[0].at.seconds()), (1, paid_at.seconds()));
    }

    async fn a_look_up_fails_on_demand(world = street) {
        ordered(&world, "order-1").await;
        let fail = Fail { kind: "lookup_error".to_owned(), status: Some(503), ..Fail::default() };
        world.sandbox.fail(world.tenant(), fail).await.unwrap();
        let path = format!("{}/payments/shop/order-1", world.channel.phone_number_id);
        let asked = http::Request::get(format!("http://sandbox/v23.0/{path}"))
            .header("authorization", format!("Bearer {TOKEN}"))
            .body(channels::transport::empty())
            .unwrap();
        let Reply::Answer(answer) = world.sandbox.graph(asked).await else { panic!("reset") };
        assert_eq!(answer.status(), 503);
        assert_eq!(looked_up(&world, "order-1").await["status"], "pending");
    }

    async fn webhook_and_look_up_show_the_same_transaction(world = street) {
        ordered(&world, "order-1").await;
        let pay = Pay { outcome: Outcome::Refunded, ..Pay::default() };
        let paid = world.sandbox.pay(world.tenant(), ADA, pay).await.unwrap();
        let first = payments(&world.records().await).remove(0).transaction.unwrap();
        assert_eq!((first.refunds.len(), first.amount.unwrap().value), (0, 21_000));
        world.advance(2);
        let reported = payments(&world.records().await).remove(0).transaction.unwrap();
        let shown = looked_up(&world, "order-1").await["transactions"][0].clone();
        assert_eq!((reported.id.as_deref(), reported.id.as_deref()), (Some(&*paid.transactions[0]), shown["id"].as_str()));
        assert_eq!((reported.method.as_deref(), reported.currency.as_deref()), (shown["method"]["type"].as_str(), Some("INR")));
        assert_eq!(reported.updated.unwrap().seconds(), shown["updated_timestamp"].as_i64().unwrap());
        let (refund, seen) = (&reported.refunds[0], &shown["refunds"][0]);
        assert_eq!((refund.id.as_str(), refund.status.as_str()), (seen["id"].as_str().unwrap(), "completed"));
        assert_eq!(refund.amount.unwrap().value, 21_000);
    }
}
