//! Invalid webhooks about payments are parked with the reason and change no payment.

use app::Command;
use app::channels::Secrets;
use app::orders::OrderSend;
use domain::channels::{NewChannel, SANDBOX};
use domain::payments::PaymentStatus;
use serde_json::json;

use crate::orders::shop::{free, order_send};
use crate::sending::world::{ADA, World};

testkit::both_databases! {
    async fn an_invalid_report_is_parked_with_the_reason(test) {
        let world = World::shop(test).await;
        world.ordered("order-1").await;
        let before = world.order("order-1").await;
        let amount = |value: i64| json!({"amount": {"value": value, "offset": 100}, "currency": "INR"});
        let transaction = |status: &str| json!({"transaction": {"id": "tx-1", "type": "razorpay", "status": status}});
        for (reference, status, payment, why) in [
            ("order-2", "captured", amount(2150), "order-2: a payment of an order that is not known"),
            ("order-1", "eaten", amount(2150), "order-1: status: "),
            ("order-1", "captured", transaction("lost"), "order-1: payment.transaction.status: "),
            ("order-1", "captured", amount(-5), "amount.value"),
            ("order-1", "captured", json!({"amount": {"value": 1.5, "offset": 100}}), "amount.value"),
        ] {
            world.report(reference, status, payment).await;
            let parked = world.parked().await;
            assert!(parked[0].contains(why), "{parked:?}");
        }
        let after = world.order("order-1").await;
        assert_eq!((after.order, after.payment.status), (before.order, PaymentStatus::Pending));
        assert_eq!(world.parked().await.len(), 5);
        assert!(world.order_events().await.is_empty());
    }

    async fn a_parked_report_can_be_retried(test) {
        let world = World::shop(test).await;
        world.report("order-1", "captured", json!({"amount": {"value": 2150, "offset": 100}, "currency": "INR"})).await;
        let parked = world.app().inbound().parked(&world.caller(), 10).await.unwrap().remove(0);
        world.ordered("order-1").await;
        assert_eq!(world.payment("order-1").await.pending_confirmation, None);
        world.app().inbound().retry(&Command(world.wired.tenant), parked.id).await.unwrap();
        world.advance(1).await;
        assert_eq!(world.payment("order-1").await.pending_confirmation, Some(PaymentStatus::Captured));
        assert!(world.parked().await.is_empty());
    }

    async fn a_payment_over_another_account_is_parked(test) {
        let world = World::shop(test).await;
        let new = NewChannel {
            name: "Second".to_owned(),
            phone_number: "14155550101".to_owned(),
            phone_number_id: "106540352242923".to_owned(),
            account_id: "102290129340399".to_owned(),
            network: SANDBOX.to_owned(),
        };
        let secret = |text: &str| text.to_owned().into();
        let secrets = Secrets {
            access_token: secret("second-access-token"),
            app_secret: secret("second-app-secret"),
            verify_token: secret("second-verify-token"),
        };
        world.app().channels().add(&Command(world.wired.tenant), new, &secrets).await.unwrap();
        let over = sandbox::driver::Say { text: Some("hi".to_owned()), channel: Some("Second".to_owned()), ..Default::default() };
        world.wired.sandbox.say(world.wired.tenant, ADA, over).await.unwrap();
        world.advance(2).await;
        let sent = OrderSend { target: format!("Second:{ADA}"), ..order_send("order-1", free()) };
        world.create(sent).await.unwrap();
        world.report("order-1", "captured", json!({"amount": {"value": 2150, "offset": 100}})).await;
        assert!(world.parked().await[0].contains("from another account"), "{:?}", world.parked().await);
        assert_eq!(world.payment("order-1").await.pending_confirmation, None);
    }
}
