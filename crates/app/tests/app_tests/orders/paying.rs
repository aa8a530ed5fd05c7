//! How payments proceed to their final state, with and without a webhook.

use domain::commerce::money::Amount;
use domain::commerce::payments::{PaymentSource, PaymentStatus, TransactionStatus};
use sandbox::driver::{Fail, Outcome};

use crate::orders::shop::{Orders as _, ordered_shop, shop};
use crate::sending::world::Sending as _;

testkit::both_databases! {
    async fn a_webhook_is_unconfirmed_until_the_look_up_which_runs_at_once(world = ordered_shop) {
        let paid = world.pay("order-1", Outcome::Captured).await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
        assert_eq!(payment.sources, [PaymentSource::Business, PaymentSource::Webhook]);
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (PaymentStatus::Captured, None));
        assert_eq!(payment.sources, [PaymentSource::Business, PaymentSource::Webhook, PaymentSource::Lookup]);
        assert_eq!((payment.conflict, payment.as_of.is_some()), (None, true));
        let one = &payment.transactions[0];
        assert_eq!((&one.id, one.status, one.confirmed), (&paid.transactions[0], TransactionStatus::Success, true));
        assert_eq!((one.method.as_deref(), one.amount), (Some("upi"), Some(Amount::new(2150))));
        assert_eq!(world.order_events().await, [
            "orderUpdated pending pending captured",
            "paymentCaptured - captured -",
            "orderUpdated pending captured -",
        ]);
    }

    async fn repeats_and_any_order_end_in_the_same_state_and_emit_once(world = shop) {
        for reference in ["order-1", "order-2"] {
            world.ordered(reference).await;
        }
        let fail = Fail { kind: "duplicate".to_owned(), count: Some(10), copies: Some(3), ..Fail::default() };
        world.sandbox().fail(world.tenant(), fail).await.unwrap();
        world.pay("order-1", Outcome::Refunded).await;
        world.look_up().await;
        let before = world.order_events().await;
        world.later(30).await;
        world.look_up().await;
        world.days_pass(1).await;
        assert_eq!(world.order_events().await, before);
        assert_eq!(before.iter().filter(|one| one.starts_with("paymentCaptured")).count(), 1, "{before:?}");
        // The look-up comes first, and the webhooks after it.
        world.fail("delay", 10).await;
        world.pay("order-2", Outcome::Refunded).await;
        world.days_pass(1).await;
        let (one, other) = (world.payment("order-1").await, world.payment("order-2").await);
        assert_eq!((one.status, other.status), (PaymentStatus::Refunded, PaymentStatus::Refunded));
        assert_eq!((one.pending_confirmation, other.pending_confirmation), (None, None));
        let captures = world.order_events().await.iter().filter(|one| one.starts_with("paymentCaptured")).count();
        assert_eq!(captures, 2);
    }

    async fn a_failed_payment_may_succeed_later(world = ordered_shop) {
        world.pay("order-1", Outcome::Failed).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!(payment.status, PaymentStatus::Failed);
        assert_eq!(payment.transactions[0].error.as_ref().unwrap().code.as_deref(), Some("payment_declined"));
        world.pay("order-1", Outcome::Captured).await;
        world.confirm().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.transactions.len()), (PaymentStatus::Captured, 2));
    }

    async fn an_order_paid_twice_is_a_conflict_and_stays_captured(world = ordered_shop) {
        let paid = world.pay("order-1", Outcome::Twice).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (PaymentStatus::Captured, None));
        let mut ids = paid.transactions;
        ids.sort();
        assert_eq!(payment.conflict.unwrap().captured_twice, ids);
        let captures = world.order_events().await.iter().filter(|one| one.starts_with("paymentCaptured")).count();
        assert_eq!(captures, 1);
    }

    async fn a_returned_payment_is_refunded(world = ordered_shop) {
        world.pay("order-1", Outcome::Captured).await;
        world.look_up().await;
        world.pay("order-1", Outcome::Refunded).await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (PaymentStatus::Captured, Some(PaymentStatus::Refunded)));
        world.confirm().await;
        assert_eq!(world.payment("order-1").await.status, PaymentStatus::Refunded);
        assert_eq!(world.order_events().await.last().unwrap(), "orderUpdated pending refunded -");
    }

    async fn a_late_or_lost_webhook_is_replaced_by_the_sweep(world = shop) {
        for (reference, outcome) in [("order-1", Outcome::Late), ("order-2", Outcome::Lost)] {
            world.ordered(reference).await;
            world.pay(reference, outcome).await;
            world.look_up().await;
            assert_eq!(world.payment(reference).await.status, PaymentStatus::Pending, "it is not asked at once");
        }
        world.later(16 * 60).await;
        world.look_up().await;
        for reference in ["order-1", "order-2"] {
            let payment = world.payment(reference).await;
            assert_eq!((payment.status, payment.sources.as_slice()),
                (PaymentStatus::Captured, &[PaymentSource::Business, PaymentSource::Lookup][..]), "{reference}");
        }
        let events = world.order_events().await;
        world.later(3600).await;
        assert_eq!(world.payment("order-1").await.sources.len(), 3, "the late one spoke too");
        assert_eq!(world.order_events().await, events, "no further event");
    }

    async fn a_look_up_that_disagrees_is_trusted_and_shown_as_a_conflict(world = ordered_shop) {
        world.pay("order-1", Outcome::Disagree).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
        assert_eq!(payment.conflict, None, "the network may need a moment");
        for _ in 0..10 {
            world.later(20).await;
            world.look_up().await;
        }
        let payment = world.payment("order-1").await;
        assert_eq!(payment.status, PaymentStatus::Pending);
        assert_eq!(payment.conflict.unwrap().lookup_disagrees.unwrap().status, Some(PaymentStatus::Pending));
        assert!(!world.order_events().await.iter().any(|one| one.starts_with("paymentCaptured")));
    }

    async fn another_amount_is_a_conflict(world = ordered_shop) {
        world.pay("order-1", Outcome::OtherAmount).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!(payment.amount, Some(Amount::new(2150)));
        assert_eq!(payment.conflict.unwrap().other_amount, [Amount::new(1075)]);
    }
}
