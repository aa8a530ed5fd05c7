//! Every payment outcome that the sandbox can play, and its final state.

use domain::commerce::payments::{PaymentSource, PaymentStatus};
use sandbox::driver::{Outcome, Pay};
use serde_json::{Value, json};
use testkit::both_databases;

use crate::orders::shop::Orders as _;
use crate::payments::shop::{Payments as _, SWEEP, TOTAL, tea_shop};
use crate::sending::world::ADA;

const CAPTURED: &str = "paymentCaptured";
const UPDATED: &str = "orderUpdated";

both_databases! {
    async fn a_webhook_counts_when_the_look_up_confirms_it(shop = tea_shop) {
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, None));
        let paid = shop.pays("tea-1", Outcome::Captured).await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
        assert_eq!(shop.sources("tea-1").await, [PaymentSource::Business, PaymentSource::Webhook]);
        assert_eq!(shop.event_names().await, [UPDATED]);
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        let payment = shop.payment("tea-1").await;
        assert_eq!(payment.sources, [PaymentSource::Business, PaymentSource::Webhook, PaymentSource::Lookup]);
        let one = &payment.transactions[0];
        assert_eq!((one.id.as_str(), one.confirmed, one.method.as_deref()), (&*paid.transactions[0], true, Some("upi")));
        assert_eq!((one.amount.unwrap().value, one.kind.as_deref()), (TOTAL, Some("razorpay")));
        assert!(payment.conflict.is_none() && payment.captured_at.is_some() && payment.as_of.is_some());
        assert_eq!(shop.event_names().await, [UPDATED, CAPTURED, UPDATED]);
        let events = shop.payment_events().await;
        assert_eq!((&events[1]["reference_id"], &events[1]["payment"]["status"]), (&json!("tea-1"), &json!("captured")));
        // A further look-up changes nothing.
        shop.later(5 * 24 * 3600).await;
        shop.look_up().await;
        assert_eq!(shop.event_names().await, [UPDATED, CAPTURED, UPDATED]);
    }

    async fn a_failed_payment_can_be_repeated(shop = tea_shop) {
        shop.pays("tea-1", Outcome::Failed).await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Failed)));
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Failed, None));
        let error = shop.payment("tea-1").await.transactions[0].error.clone().unwrap();
        assert_eq!(error.code.as_deref(), Some("payment_declined"));
        assert_eq!(shop.event_names().await, [UPDATED, UPDATED]);
        shop.pays("tea-1", Outcome::Captured).await;
        shop.later(60).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        assert_eq!(shop.event_names().await, [UPDATED, UPDATED, UPDATED, CAPTURED, UPDATED]);
    }

    async fn a_pending_payment_emits_nothing(shop = tea_shop) {
        shop.pays("tea-1", Outcome::Pending).await;
        shop.later(SWEEP + 60).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, None));
        let payment = shop.payment("tea-1").await;
        assert_eq!((payment.transactions.len(), payment.sources.len(), payment.conflict), (1, 3, None));
        assert_eq!(shop.event_names().await, Vec::<String>::new());
    }

    async fn two_payments_are_a_conflict_in_either_order_of_reports(shop = tea_shop) {
        shop.orders("tea-2").await;
        let mut paid = shop.pays("tea-1", Outcome::Twice).await.transactions;
        shop.later(2).await;
        paid.sort();
        let twice = json!({"captured_twice": paid});
        assert_eq!((shop.stands("tea-1").await, shop.conflict("tea-1").await), ((PaymentStatus::Pending, Some(PaymentStatus::Captured)), twice.clone()));
        shop.look_up().await;
        assert_eq!((shop.stands("tea-1").await, shop.conflict("tea-1").await), ((PaymentStatus::Captured, None), twice));
        assert_eq!(shop.event_names().await, [UPDATED, UPDATED, CAPTURED, UPDATED]);
        // The look-up finds both payments before the second webhook arrives.
        let mut paid = shop.pays("tea-2", Outcome::Twice).await.transactions;
        paid.sort();
        shop.look_up().await;
        let before = (shop.stands("tea-2").await, shop.conflict("tea-2").await);
        assert_eq!(before, ((PaymentStatus::Captured, None), json!({"captured_twice": paid})));
        let names = shop.event_names().await;
        shop.later(2).await;
        assert_eq!((shop.stands("tea-2").await, shop.conflict("tea-2").await), before);
        assert_eq!((shop.event_names().await, names.len()), (names, 7));
    }

    async fn a_returned_payment_is_refunded(shop = tea_shop) {
        shop.pays("tea-1", Outcome::Captured).await;
        shop.look_up().await;
        shop.pays("tea-1", Outcome::Refunded).await;
        shop.later(2).await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, Some(PaymentStatus::Refunded)));
        shop.later(60).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Refunded, None));
        let payment = shop.payment("tea-1").await;
        let refund = &payment.transactions[0].refunds[0];
        assert_eq!((refund.amount.unwrap().value, payment.conflict), (TOTAL, None));
        assert_eq!(shop.event_names().await, [UPDATED, CAPTURED, UPDATED, UPDATED, UPDATED]);
        assert_eq!(shop.payment_events().await[4]["payment"]["status"], "refunded");
    }

    async fn paid_and_returned_before_the_first_look_up(shop = tea_shop) {
        shop.pays("tea-1", Outcome::Refunded).await;
        shop.later(2).await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Refunded)));
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Refunded, None));
        assert_eq!(shop.event_names().await, [UPDATED, UPDATED, CAPTURED, UPDATED]);
    }

    async fn the_sweep_finds_a_payment_with_a_lost_webhook(shop = tea_shop) {
        shop.pays("tea-1", Outcome::Lost).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, None));
        shop.later(SWEEP).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        assert_eq!(shop.sources("tea-1").await, [PaymentSource::Business, PaymentSource::Lookup]);
        assert_eq!(shop.event_names().await, [CAPTURED, UPDATED]);
    }

    async fn a_late_webhook_changes_nothing_more(shop = tea_shop) {
        shop.pays("tea-1", Outcome::Late).await;
        shop.later(SWEEP).await;
        shop.look_up().await;
        let swept = shop.payment("tea-1").await;
        assert_eq!((swept.status, &*swept.sources), (PaymentStatus::Captured, &[PaymentSource::Business, PaymentSource::Lookup][..]));
        shop.later(3600).await;
        let late = shop.payment("tea-1").await;
        assert_eq!((late.status, late.pending_confirmation, &late.conflict), (PaymentStatus::Captured, None, &None));
        assert_eq!(late.sources, [PaymentSource::Business, PaymentSource::Webhook, PaymentSource::Lookup]);
        assert_eq!((late.captured_at, late.as_of), (swept.captured_at, swept.as_of));
        assert_eq!(shop.event_names().await, [CAPTURED, UPDATED]);
    }

    async fn a_delayed_webhook_arrives_at_its_time(shop = tea_shop) {
        let pay = Pay { after_seconds: Some(30), outcome: Outcome::Late, ..Pay::default() };
        shop.sandbox().pay(shop.tenant(), ADA, pay).await.unwrap();
        shop.later(29).await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, None));
        shop.later(1).await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
    }

    async fn a_look_up_that_disagrees_prevents_the_capture(shop = tea_shop) {
        shop.pays("tea-1", Outcome::Disagree).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
        // Within the grace period, a look-up that disagrees is no conflict.
        assert_eq!(shop.conflict("tea-1").await, Value::Null);
        let disagrees = json!({"lookup_disagrees": {"status": "pending"}});
        for _ in 0..40 {
            shop.later(3600).await;
            shop.look_up().await;
            assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
            assert_eq!(shop.conflict("tea-1").await, disagrees);
        }
        assert_eq!(shop.event_names().await, [UPDATED, UPDATED]);
    }

    async fn another_amount_is_a_conflict_beside_the_capture(shop = tea_shop) {
        shop.pays("tea-1", Outcome::OtherAmount).await;
        assert_eq!(shop.conflict("tea-1").await, Value::Null);
        shop.later(1).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        assert_eq!(shop.conflict("tea-1").await, json!({"other_amount": [{"value": TOTAL / 2, "offset": 100}]}));
        let payment = shop.payment("tea-1").await;
        assert_eq!((payment.amount.unwrap().value, payment.transactions[0].amount.unwrap().value), (TOTAL, TOTAL / 2));
        assert_eq!(shop.event_names().await, [UPDATED, CAPTURED, UPDATED]);
    }

    async fn a_payment_after_the_cancellation_is_a_conflict(shop = tea_shop) {
        shop.cancels("tea-1").await;
        let earlier = shop.event_names().await.len();
        shop.later(10).await;
        shop.pays("tea-1", Outcome::Captured).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        let conflict = shop.conflict("tea-1").await;
        assert!(conflict["captured_after_cancel"]["canceled_at"].is_string(), "{conflict}");
        assert_eq!(shop.event_names().await[earlier..], [UPDATED, CAPTURED, UPDATED]);
    }
}
