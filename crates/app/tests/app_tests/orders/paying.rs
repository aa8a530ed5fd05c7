//! Each way in which a payment goes, from the webhook or without one to the state that stays.

use domain::money::Amount;
use domain::payments::{Source, Status, TransactionStatus};
use sandbox::driver::{Fail, Outcome};

use crate::sending::world::World;

testkit::both_databases! {
    async fn a_webhook_alone_is_to_be_confirmed_and_the_look_up_does_so_at_once(test) {
        let world = World::shop(test).await;
        world.ordered("order-1").await;
        let paid = world.pay("order-1", Outcome::Captured).await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (Status::Pending, Some(Status::Captured)));
        assert_eq!(payment.sources, [Source::Business, Source::Webhook]);
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (Status::Captured, None));
        assert_eq!(payment.sources, [Source::Business, Source::Webhook, Source::Lookup]);
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

    async fn repeats_and_any_order_end_in_the_same_and_are_told_once(test) {
        let world = World::shop(test).await;
        for reference in ["order-1", "order-2"] {
            world.ordered(reference).await;
        }
        let fail = Fail { kind: "duplicate".to_owned(), count: Some(10), copies: Some(3), ..Fail::default() };
        world.wired.sandbox.fail(world.wired.tenant, fail).await.unwrap();
        world.pay("order-1", Outcome::Refunded).await;
        world.look_up().await;
        let before = world.order_events().await;
        world.advance(30).await;
        world.look_up().await;
        world.days_pass(1).await;
        assert_eq!(world.order_events().await, before);
        assert_eq!(before.iter().filter(|one| one.starts_with("paymentCaptured")).count(), 1, "{before:?}");
        // The look-up first, the webhooks after it.
        world.fail("delay", 10).await;
        world.pay("order-2", Outcome::Refunded).await;
        world.days_pass(1).await;
        let (one, other) = (world.payment("order-1").await, world.payment("order-2").await);
        assert_eq!((one.status, other.status), (Status::Refunded, Status::Refunded));
        assert_eq!((one.pending_confirmation, other.pending_confirmation), (None, None));
        let captures = world.order_events().await.iter().filter(|one| one.starts_with("paymentCaptured")).count();
        assert_eq!(captures, 2);
    }

    async fn one_that_failed_may_go_well_later(test) {
        let world = World::shop(test).await;
        world.ordered("order-1").await;
        world.pay("order-1", Outcome::Failed).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!(payment.status, Status::Failed);
        assert_eq!(payment.transactions[0].error.as_ref().unwrap().code.as_deref(), Some("payment_declined"));
        world.pay("order-1", Outcome::Captured).await;
        world.confirm().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.transactions.len()), (Status::Captured, 2));
    }

    async fn one_that_is_paid_twice_is_a_conflict_and_stays_captured(test) {
        let world = World::shop(test).await;
        world.ordered("order-1").await;
        let paid = world.pay("order-1", Outcome::Twice).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (Status::Captured, None));
        let mut ids = paid.transactions;
        ids.sort();
        assert_eq!(payment.conflict.unwrap().captured_twice, ids);
        let captures = world.order_events().await.iter().filter(|one| one.starts_with("paymentCaptured")).count();
        assert_eq!(captures, 1);
    }

    async fn one_that_is_given_back_is_refunded(test) {
        let world = World::shop(test).await;
        world.ordered("order-1").await;
        world.pay("order-1", Outcome::Captured).await;
        world.look_up().await;
        world.pay("order-1", Outcome::Refunded).await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (Status::Captured, Some(Status::Refunded)));
        world.confirm().await;
        assert_eq!(world.payment("order-1").await.status, Status::Refunded);
        assert_eq!(world.order_events().await.last().unwrap(), "orderUpdated pending refunded -");
    }

    async fn a_webhook_that_comes_late_or_never_is_not_waited_for(test) {
        let world = World::shop(test).await;
        for (reference, outcome) in [("order-1", Outcome::Late), ("order-2", Outcome::Lost)] {
            world.ordered(reference).await;
            world.pay(reference, outcome).await;
            world.look_up().await;
            assert_eq!(world.payment(reference).await.status, Status::Pending, "it is not asked at once");
        }
        world.advance(16 * 60).await;
        world.look_up().await;
        for reference in ["order-1", "order-2"] {
            let payment = world.payment(reference).await;
            assert_eq!((payment.status, payment.sources.as_slice()),
                (Status::Captured, &[Source::Business, Source::Lookup][..]), "{reference}");
        }
        let told = world.order_events().await;
        world.advance(3600).await;
        assert_eq!(world.payment("order-1").await.sources.len(), 3, "the late one spoke too");
        assert_eq!(world.order_events().await, told, "and said nothing new");
    }

    async fn a_look_up_that_disagrees_is_shown_and_believed(test) {
        let world = World::shop(test).await;
        world.ordered("order-1").await;
        world.pay("order-1", Outcome::Disagree).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!((payment.status, payment.pending_confirmation), (Status::Pending, Some(Status::Captured)));
        assert_eq!(payment.conflict, None, "the network may need a moment");
        for _ in 0..10 {
            world.advance(20).await;
            world.look_up().await;
        }
        let payment = world.payment("order-1").await;
        assert_eq!(payment.status, Status::Pending);
        assert_eq!(payment.conflict.unwrap().lookup_disagrees.unwrap().status, Some(Status::Pending));
        assert!(!world.order_events().await.iter().any(|one| one.starts_with("paymentCaptured")));
    }

    async fn another_amount_is_a_conflict(test) {
        let world = World::shop(test).await;
        world.ordered("order-1").await;
        world.pay("order-1", Outcome::OtherAmount).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert_eq!(payment.amount, Some(Amount::new(2150)));
        assert_eq!(payment.conflict.unwrap().other_amount, [Amount::new(1075)]);
    }
}
