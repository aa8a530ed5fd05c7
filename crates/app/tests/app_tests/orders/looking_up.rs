//! Look-ups are rate limited, repeated after failures, made by one node at a time, and not lost by a crash.

use domain::commerce::payments::PaymentStatus;
use domain::{OrderId, Timestamp};
use sandbox::driver::Outcome;
use store::commerce::orders::DueLookup;

use crate::orders::shop::{Orders as _, free, order_send, ordered_shop, shop};
use crate::sending::world::Sending as _;

testkit::both_databases! {
    async fn a_failure_is_stored_and_the_look_up_is_repeated(world = ordered_shop) {
        world.pay("order-1", Outcome::Captured).await;
        world.fail("lookup_error", 3).await;
        let mut tries = 0;
        while world.payment("order-1").await.status == PaymentStatus::Pending {
            world.look_up().await;
            let order = world.order("order-1").await.order;
            tries += 1;
            assert_eq!(order.lookup_error.is_some(), tries <= 3, "{tries}: {order:?}");
            assert!(order.lookup_at.is_none_or(|at| at > world.now()), "{tries}: {order:?}");
            // No look-up is made before it is due.
            world.look_up().await;
            assert_eq!(world.order("order-1").await.order, order);
            world.wait_until(order.lookup_at.unwrap());
        }
        assert_eq!(tries, 4);
        let order = world.order("order-1").await.order;
        assert_eq!((order.attempts.fruitless, order.lookup_error), (0, None));
        assert_eq!(world.order_events().await.len(), 3);
    }

    async fn without_a_configuration_there_is_no_look_up(world = shop) {
        let mut send = order_send("order-1", free());
        send.order.payment_configuration = None;
        world.create_order(send).await.unwrap();
        world.drain().await;
        world.later(3).await;
        assert_eq!(world.order("order-1").await.order.lookup_at, None);
        world.pay("order-1", Outcome::Captured).await;
        assert_eq!(world.payment("order-1").await.pending_confirmation, Some(PaymentStatus::Captured));
        assert_eq!(world.order("order-1").await.order.lookup_at, None);
    }

    async fn one_node_asks_at_a_time(world = ordered_shop) {
        world.pay("order-1", Outcome::Captured).await;
        let input = (world.now(), world.now().plus_seconds(60));
        let taken = world.app.db().write(input, |tx, (now, until): &(Timestamp, Timestamp)| {
            Box::pin(store::base::leases::acquire(tx, "payments", "another node", *now, *until))
        });
        taken.await.unwrap().unwrap();
        world.look_up().await;
        assert_eq!(world.payment("order-1").await.status, PaymentStatus::Pending);
        world.later(61).await;
        world.look_up().await;
        assert_eq!(world.payment("order-1").await.status, PaymentStatus::Captured);
    }

    async fn a_look_up_claimed_by_a_dead_process_is_due_again(mut world = ordered_shop) {
        world.pay("order-1", Outcome::Captured).await;
        // The look-up was claimed, and perhaps made, but its answer was not stored.
        let order = world.order("order-1").await.order;
        let due = DueLookup {
            tenant: world.tenant(),
            id: order.id,
            channel_id: order.channel_id,
            reference_id: "order-1".to_owned(),
            payment_configuration: Some("main".to_owned()),
            lookup_at: order.lookup_at.unwrap(),
        };
        let input = (due, world.now().plus_seconds(120));
        let write = world.app.db().write(input, |tx, (due, until): &(DueLookup, Timestamp)| Box::pin(async move {
            store::commerce::orders::postpone_lookups(tx, &[(due, *until)]).await
        }));
        write.await.unwrap();
        world.restart();
        world.look_up().await;
        assert_eq!(world.payment("order-1").await.status, PaymentStatus::Pending);
        world.later(121).await;
        world.look_up().await;
        assert_eq!(world.payment("order-1").await.status, PaymentStatus::Captured);
    }

    async fn many_look_ups_at_once_keep_the_rate_of_the_channel(world = shop) {
        let references: Vec<String> = (0..50).map(|number| format!("order-{number}")).collect();
        for reference in &references {
            world.create_order(order_send(reference, free())).await.unwrap();
        }
        world.later(3600).await;
        let mut asked = Vec::new();
        loop {
            world.look_up().await;
            let mut tried: i64 = 0;
            let mut next: Option<Timestamp> = None;
            for reference in &references {
                let order = world.order(reference).await.order;
                if order.attempts.last.is_some() {
                    tried += 1;
                } else {
                    next = Timestamp::earlier(next, order.lookup_at);
                }
            }
            asked.push(tried);
            let Some(next) = next else { break };
            assert!(next > world.now(), "what is not asked now has its turn later");
            world.advance(1);
        }
        let steps: Vec<i64> = [0].iter().chain(&asked).zip(&asked).map(|(before, after)| after - before).collect();
        assert!(asked[0] == 20 && steps.iter().all(|step| *step <= 20), "{asked:?}");
        assert!(asked.len() <= 4, "{asked:?}");
    }

    async fn orders_of_other_tenants_are_not_found(world = ordered_shop) {
        let stranger = app::Command(domain::TenantId::from_number(world.tenant().number() + 1));
        assert!(world.app.commerce().orders().find(&stranger, "order-1").await.is_err());
        assert!(world.app.commerce().payments().find(&stranger, "order-1").await.is_err());
        let order = world.order("order-1").await.order;
        let input = (stranger.0, order.id);
        let read = world.app.db().write(input, |tx, (tenant, id): &(domain::TenantId, OrderId)| {
            Box::pin(store::commerce::orders::by_id(tx, *tenant, *id))
        });
        assert_eq!(read.await.unwrap(), None);
    }
}
