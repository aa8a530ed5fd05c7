//! Changes of an order's status: the message, the event, and what the payment forbids.

use app::Error;
use app::commerce::orders::OrderStatusSend;
use domain::commerce::orders::OrderStatus;
use sandbox::driver::Outcome;

use crate::callers::TestCaller;
use crate::orders::shop::{Orders as _, free, ordered_shop, parameter, shop, status_send, template};
use crate::sending::world::{ADA, NEWS, Sending as _};

testkit::both_databases! {
    async fn a_status_is_sent_to_the_person_and_emitted(world = ordered_shop) {
        let sent = world.set_order(status_send("order-1", "processing", free())).await.unwrap();
        assert_eq!(sent.order.order.status, OrderStatus::Processing);
        assert_eq!(sent.order.order.doc.order.status, OrderStatus::Processing);
        assert!(sent.message.is_some());
        world.drain().await;
        world.later(3).await;
        assert_eq!(world.inbox(ADA).await.len(), 2);
        let described = OrderStatusSend {
            description: Some("It is in the post".to_owned()), ..status_send("order-1", "Shipped", free())
        };
        assert_eq!(world.set_order(described).await.unwrap().order.order.status, OrderStatus::Shipped);
        assert_eq!(world.order_events().await, ["orderUpdated processing pending -", "orderUpdated shipped pending -"]);
    }

    async fn the_same_status_again_is_no_move(world = shop) {
        let first = world.ordered("order-1").await;
        world.set_order(status_send("order-1", "shipped", free())).await.unwrap();
        let updated = world.order("order-1").await.order.updated_at;
        world.later(10).await;
        let again = world.set_order(status_send("order-1", "shipped", free())).await.unwrap();
        assert!(again.message.is_none());
        assert_eq!(again.order.order.updated_at, updated);
        // With a description the message is sent again.
        let described = OrderStatusSend {
            description: Some("The second parcel too".to_owned()), ..status_send("order-1", "shipped", free())
        };
        assert!(world.set_order(described).await.unwrap().message.is_some());
        assert_eq!(world.order_events().await, ["orderUpdated shipped pending -"]);
        assert_eq!(world.our_messages(&first.message).await.len(), 3);
    }

    async fn forbidden_moves_change_nothing(world = shop) {
        let first = world.ordered("order-1").await;
        world.set_order(status_send("order-1", "shipped", free())).await.unwrap();
        for status in ["pending", "processing", "canceled"] {
            let error = world.set_order(status_send("order-1", status, free())).await.unwrap_err();
            assert!(matches!(error, Error::Conflict { .. }), "{error:?}");
            assert_eq!(parameter(error), "status");
        }
        let error = world.set_order(status_send("order-1", "eaten", free())).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
        let error = world.set_order(status_send("order-2", "shipped", free())).await.unwrap_err();
        assert!(matches!(error, Error::NotFound(app::Thing::Order)), "{error:?}");
        assert_eq!(world.order("order-1").await.order.status, OrderStatus::Shipped);
        assert_eq!(world.our_messages(&first.message).await.len(), 2);
        assert_eq!(world.order_events().await.len(), 1);
    }

    async fn an_order_that_is_paid_or_being_paid_is_not_canceled(world = ordered_shop) {
        world.pay("order-1", Outcome::Captured).await;
        let claimed = world.set_order(status_send("order-1", "canceled", free())).await.unwrap_err();
        world.look_up().await;
        let paid = world.set_order(status_send("order-1", "canceled", free())).await.unwrap_err();
        for (error, why) in [(claimed, "in progress"), (paid, "refund it first")] {
            assert!(error.to_string().contains(why), "{error}");
            assert_eq!(parameter(error), "status");
        }
        world.pay("order-1", Outcome::Refunded).await;
        world.confirm().await;
        world.set_order(status_send("order-1", "canceled", free())).await.unwrap();
        assert_eq!(world.payment("order-1").await.conflict, None);
    }

    async fn a_payment_after_the_cancellation_is_a_conflict(world = ordered_shop) {
        world.set_order(status_send("order-1", "canceled", free())).await.unwrap();
        world.later(60).await;
        world.pay("order-1", Outcome::Captured).await;
        world.look_up().await;
        let payment = world.payment("order-1").await;
        assert!(payment.conflict.unwrap().captured_after_cancel.is_some());
        assert_eq!(world.order_events().await, [
            "orderUpdated canceled pending -",
            "orderUpdated canceled pending captured !",
            "paymentCaptured - captured - !",
            "orderUpdated canceled captured - !",
        ]);
    }

    async fn outside_the_window_a_template_is_needed(world = ordered_shop) {
        world.later(25 * 3600).await;
        let error = world.set_order(status_send("order-1", "shipped", free())).await.unwrap_err();
        assert!(matches!(error, Error::Refused { cause: app::Cause::Send(app::messaging::messages::Refusal::WindowClosed), .. }), "{error:?}");
        assert_eq!(world.order("order-1").await.order.status, OrderStatus::Pending);
        let message = world.set_order(status_send("order-1", "shipped", template(NEWS))).await.unwrap().message.unwrap();
        world.drain().await;
        world.later(3).await;
        let message = world.message(message.id).await;
        assert_eq!(message.state, domain::messaging::messages::MessageState::Read, "{message:?}");
        assert!(world.inbox(ADA).await.contains(&"Hello Ada, there is news.".to_owned()));
    }

    async fn a_failed_message_does_not_revert_the_status(world = ordered_shop) {
        world.fail("fail", 1).await;
        let sent = world.set_order(status_send("order-1", "shipped", free())).await.unwrap();
        world.drain().await;
        world.later(5).await;
        assert_eq!(world.state(sent.message.unwrap().id).await, domain::messaging::messages::MessageState::Failed);
        assert_eq!(world.order("order-1").await.order.status, OrderStatus::Shipped);
    }

    async fn the_same_idempotency_key_moves_it_once(world = shop) {
        let first = world.ordered("order-1").await;
        let caller = TestCaller::keyed(&world, "status");
        let send = || status_send("order-1", "shipped", free());
        let lock = caller.lock_key(&world).await;
        let sent = world.app.commerce().orders().set_status(&caller, send()).await.unwrap();
        lock.release().await.unwrap();
        world.set_order(status_send("order-1", "completed", free())).await.unwrap();
        let _lock = caller.lock_key(&world).await;
        let again = world.app.commerce().orders().set_status(&caller, send()).await.unwrap();
        assert_eq!(sent.message.unwrap().id, again.message.unwrap().id);
        assert_eq!(again.order.order.status, OrderStatus::Completed);
        assert_eq!(world.our_messages(&first.message).await.len(), 3);
    }

    async fn a_dry_run_moves_nothing(world = shop) {
        let first = world.ordered("order-1").await;
        let would = world.set_order(OrderStatusSend { dry_run: true, ..status_send("order-1", "shipped", free()) }).await.unwrap();
        assert_eq!(would.order.order.status, OrderStatus::Shipped);
        assert_eq!(world.order("order-1").await.order.status, OrderStatus::Pending);
        assert_eq!(world.our_messages(&first.message).await.len(), 1);
        assert!(world.order_events().await.is_empty());
    }
}
