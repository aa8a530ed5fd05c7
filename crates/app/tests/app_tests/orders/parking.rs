//! Invalid webhooks about payments are parked with the reason and change no payment.

use app::commerce::orders::OrderSend;
use domain::commerce::payments::PaymentStatus;
use serde_json::json;

use crate::orders::shop::{Orders as _, free, order_send, ordered_shop, shop};
use crate::sending::world::ADA;

testkit::both_databases! {
    async fn an_invalid_report_is_parked_with_the_reason(world = ordered_shop) {
        let before = world.order("order-1").await;
        let amount = |value: i64| json!({"amount": {"value": value, "offset": 100}, "currency": "INR"});
        let transaction = |status: &str| json!({"transaction": {"id": "tx-1", "type": "razorpay", "status": status}});
        for (reference, status, payment, why) in [
            ("order-2", "captured", amount(2150), "order-2: a payment for an unknown order"),
            ("order-1", "eaten", amount(2150), "order-1: status: "),
            ("order-1", "captured", transaction("lost"), "order-1: payment.transaction.status: "),
            ("order-1", "captured", amount(-5), "amount.value"),
            ("order-1", "captured", json!({"amount": {"value": 1.5, "offset": 100}}), "amount.value"),
        ] {
            world.report(reference, status, payment).await;
            let parked = world.parked_reasons().await;
            assert!(parked[0].contains(why), "{parked:?}");
        }
        let after = world.order("order-1").await;
        assert_eq!((after.order, after.payment.status), (before.order, PaymentStatus::Pending));
        assert_eq!(world.parked_reasons().await.len(), 5);
        assert!(world.order_events().await.is_empty());
    }

    async fn a_parked_report_can_be_retried(world = shop) {
        world.report("order-1", "captured", json!({"amount": {"value": 2150, "offset": 100}, "currency": "INR"})).await;
        let parked = world.app.messaging().inbound().parked(&world.me(), 10).await.unwrap().remove(0);
        world.ordered("order-1").await;
        assert_eq!(world.payment("order-1").await.pending_confirmation, None);
        world.app.messaging().inbound().retry(&app::Command(world.tenant()), parked.id).await.unwrap();
        world.later(1).await;
        assert_eq!(world.payment("order-1").await.pending_confirmation, Some(PaymentStatus::Captured));
        assert!(world.parked_reasons().await.is_empty());
    }

    async fn a_payment_over_another_account_is_parked(world = shop) {
        world.second_channel(world.tenant()).await;
        let over = sandbox::driver::Say { text: Some("hi".to_owned()), channel: Some("Second".to_owned()), ..Default::default() };
        world.sandbox().say(world.tenant(), ADA, over).await.unwrap();
        world.later(2).await;
        let sent = OrderSend { target: format!("Second:{ADA}"), ..order_send("order-1", free()) };
        world.create_order(sent).await.unwrap();
        world.report("order-1", "captured", json!({"amount": {"value": 2150, "offset": 100}})).await;
        assert!(world.parked_reasons().await[0].contains("from another account"), "{:?}", world.parked_reasons().await);
        assert_eq!(world.payment("order-1").await.pending_confirmation, None);
    }
}
