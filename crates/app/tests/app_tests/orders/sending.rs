//! Creating orders: the order and its message are written in one transaction.

use app::Error;
use app::commerce::orders::OrderSend;
use domain::commerce::money::Amount;
use domain::commerce::orders::OrderStatus;
use domain::commerce::payments::{PaymentSource, PaymentStatus};
use domain::messaging::messages::MessageState;
use testkit::World;

use crate::callers::TestCaller;
use crate::orders::shop::{BILL, Orders as _, free, new_order, order_send, parameter, shop, template};
use crate::sending::world::{ADA, BEN, NEWS, Sending as _};

/// Asserts that neither an order nor a payment with this reference exists.
async fn nothing_of(world: &World, reference: &str) {
    let found = world.app.commerce().orders().find(&world.me(), reference).await;
    assert!(matches!(found, Err(Error::NotFound(app::Thing::Order))), "{found:?}");
    let found = world.app.commerce().payments().find(&world.me(), reference).await;
    assert!(matches!(found, Err(Error::NotFound(app::Thing::Payment))), "{found:?}");
}

testkit::both_databases! {
    async fn an_order_and_its_message_are_stored_together_and_arrive(world = shop) {
        let sent = world.create_order(order_send("order-1", free())).await.unwrap();
        let (order, payment) = (&sent.order.order, &sent.order.payment);
        assert_eq!((order.status, payment.status), (OrderStatus::Pending, PaymentStatus::Pending));
        assert_eq!((payment.amount, payment.sources.as_slice()), (Some(Amount::new(2150)), &[PaymentSource::Business][..]));
        assert_eq!((order.message_id, order.contact_id), (sent.message.id, sent.message.contact_id));
        assert_eq!((sent.order.target.as_deref(), sent.message.kind.as_str()), (Some(ADA), "interactive"));
        assert_eq!(order.lookup_at, Some(world.now().to_millis().plus_seconds(15 * 60)));
        world.drain().await;
        world.later(3).await;
        assert_eq!(world.inbox(ADA).await[0], "Please pay\nThank you");
        let shown = world.order("order-1").await;
        assert!(matches!(shown.message_state, Some(MessageState::Delivered | MessageState::Read)), "{shown:?}");
        assert!(world.order_events().await.is_empty(), "that it was made is no change of it");
    }

    async fn a_reference_is_used_once(world = shop) {
        let first = world.ordered("order-1").await;
        let again = OrderSend { target: ADA.to_owned(), ..order_send("order-1", free()) };
        let error = world.create_order(again).await.unwrap_err();
        assert!(matches!(error, Error::Conflict { .. }), "{error:?}");
        assert_eq!(parameter(error), "reference_id");
        assert_eq!(world.our_messages(&first.message).await.len(), 1);
        // References differ by letter case.
        world.create_order(order_send("Order-1", free())).await.unwrap();
    }

    async fn of_several_requests_with_one_reference_one_succeeds(world = shop) {
        let all = futures_util::future::join_all((0..8).map(|_| world.create_order(order_send("order-1", free())))).await;
        assert_eq!(all.iter().filter(|one| one.is_ok()).count(), 1);
        assert!(all.iter().filter_map(|one| one.as_ref().err()).all(|error| matches!(error, Error::Conflict { .. })));
        let sent = all.into_iter().flatten().next().unwrap();
        assert_eq!(world.our_messages(&sent.message).await.len(), 1);
    }

    async fn the_same_idempotency_key_gets_the_first_answer_and_no_second_order(world = shop) {
        let caller = TestCaller::keyed(&world, "orders");
        let lock = caller.lock_key(&world).await;
        let first = world.app.commerce().orders().create(&caller, order_send("order-1", free())).await.unwrap();
        lock.release().await.unwrap();
        let _lock = caller.lock_key(&world).await;
        let again = world.app.commerce().orders().create(&caller, order_send("order-1", free())).await.unwrap();
        assert_eq!((first.message.id, first.order.order), (again.message.id, again.order.order));
        assert_eq!(world.our_messages(&first.message).await.len(), 1);
    }

    async fn outside_the_window_only_a_template_asks_for_a_payment(world = shop) {
        world.bill().await;
        world.later(25 * 3600).await;
        let error = world.create_order(order_send("order-1", free())).await.unwrap_err();
        let Error::Refused { cause, message, .. } = error else { panic!("{error:?}") };
        assert_eq!(cause, app::Cause::Send(app::messaging::messages::Refusal::WindowClosed));
        assert!(message.contains("template"), "{message}");
        nothing_of(&world, "order-1").await;
        let sent = world.create_order(order_send("order-1", template(BILL))).await.unwrap();
        assert_eq!(sent.message.kind, "template");
        world.drain().await;
        world.later(3).await;
        assert_eq!(world.inbox(ADA).await[0], "Hello Ada, here is your bill.");
        world.pay("order-1", sandbox::driver::Outcome::Captured).await;
        world.look_up().await;
        assert_eq!(world.payment("order-1").await.status, PaymentStatus::Captured);
    }

    async fn a_template_with_the_button_goes_with_an_order_and_an_order_with_such_a_template(world = shop) {
        world.bill().await;
        let error = world.create_order(order_send("order-1", template(NEWS))).await.unwrap_err();
        assert_eq!(parameter(error), "template_name");
        nothing_of(&world, "order-1").await;
        let accepted = world.send_template(crate::sending::world::template_send(BILL, vec![crate::sending::world::to(ADA)])).await.unwrap();
        assert_eq!(accepted.recipients[0].problem.as_ref().unwrap().place.to_string(), "template_name");
        // For a target that no contact has, a contact is created, on the channel in front of the target.
        let to = format!("{}:{BEN}", world.channel().name);
        let sent = world.create_order(OrderSend { target: to, ..order_send("order-2", template(BILL)) }).await.unwrap();
        assert_eq!(sent.order.target.as_deref(), Some(BEN));
    }

    async fn a_wrong_sum_is_refused_with_the_difference(world = shop) {
        let mut send = order_send("order-1", free());
        send.order.total_amount = Some(Amount::new(2151));
        let error = world.create_order(send).await.unwrap_err();
        assert!(error.to_string().contains("1 too much"), "{error}");
        assert_eq!(parameter(error), "total_amount.value");
        for (reference, currency, body, wrong) in [
            ("no spaces", "INR", "Please pay", "reference_id"),
            ("order-1", "XXY", "Please pay", "currency"),
            ("order-1", "INR", " ", "body"),
        ] {
            let form = app::commerce::orders::MessageForm::Free { header: None, body: body.to_owned(), footer: None };
            let mut send = order_send(reference, form);
            send.order = domain::commerce::orders::NewOrder { currency: currency.to_owned(), ..new_order(reference) };
            assert_eq!(parameter(world.create_order(send).await.unwrap_err()), wrong);
        }
        nothing_of(&world, "order-1").await;
    }

    async fn a_dry_run_returns_the_result_and_stores_nothing(world = shop) {
        let would = world.create_order(OrderSend { dry_run: true, ..order_send("order-1", free()) }).await.unwrap();
        assert_eq!(would.order.order.reference_id(), "order-1");
        nothing_of(&world, "order-1").await;
        world.ordered("order-1").await;
        let error = world.create_order(OrderSend { dry_run: true, ..order_send("order-1", free()) }).await.unwrap_err();
        assert_eq!(parameter(error), "reference_id");
    }
}
