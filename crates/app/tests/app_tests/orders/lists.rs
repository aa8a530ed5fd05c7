//! Pages of orders: the newest first, with any filter, each order once.

use app::commerce::orders::{FoundOrders, OrderSearch};
use domain::Timestamp;
use domain::commerce::orders::OrderStatus;
use domain::commerce::payments::PaymentStatus;
use sandbox::driver::Outcome;
use testkit::World;

use crate::orders::shop::{Orders as _, free, order_send, shop, status_send};
use crate::sending::world::{ADA, BEN};

fn references(page: &FoundOrders) -> Vec<&str> {
    page.orders.iter().map(|one| one.order.reference_id()).collect()
}

async fn list(world: &World, filter: OrderSearch) -> Vec<String> {
    let limit = if filter.limit == 0 { 2 } else { filter.limit };
    let mut filter = OrderSearch { limit, ..filter };
    let mut all = Vec::new();
    loop {
        let page = world.app.commerce().orders().list(&world.me(), &filter).await.unwrap();
        assert!(page.orders.len() <= limit);
        all.extend(references(&page).into_iter().map(str::to_owned));
        if page.next.is_none() {
            return all;
        }
        filter.after = page.next;
    }
}

testkit::both_databases! {
    async fn counts_are_complete_if_no_order_is_left_out(world = shop) {
        for number in 1..=3 {
            world.create_order(order_send(&format!("order-{number}"), free())).await.unwrap();
        }
        let ever = (Timestamp::from_micros(i64::MIN), Timestamp::from_micros(i64::MAX));
        for (most, counted, is_complete) in [(2, 2, false), (3, 3, true), (4, 3, true)] {
            let found = store::commerce::orders::counts(&world.test.db, world.tenant(), ever, most).await.unwrap();
            assert_eq!((found.0.iter().map(|one| one.orders).sum::<i64>(), found.1), (counted, is_complete), "{most}");
        }
    }

    async fn every_filter_finds_the_right_orders(world = shop) {
        world.say(BEN, "hello").await;
        for number in 1..=5 {
            let mut send = order_send(&format!("order-{number}"), free());
            if number == 4 {
                BEN.clone_into(&mut send.target);
            }
            world.create_order(send).await.unwrap();
            world.drain().await;
            world.later(60).await;
        }
        for reference in ["order-1", "order-3"] {
            world.pay(reference, Outcome::Captured).await;
        }
        world.look_up().await;
        for reference in ["order-3", "order-4"] {
            world.set_order(status_send(reference, "processing", free())).await.unwrap();
        }
        let (status, payment_status) = (Some(OrderStatus::Processing), Some(PaymentStatus::Captured));
        let target = Some(ADA.to_owned());
        let all = ["order-5", "order-4", "order-3", "order-2", "order-1"];
        for (filter, expected) in [
            (OrderSearch::default(), &all[..]),
            (OrderSearch { limit: 5, ..OrderSearch::default() }, &all[..]),
            (OrderSearch { status, ..OrderSearch::default() }, &["order-4", "order-3"][..]),
            (OrderSearch { payment_status, ..OrderSearch::default() }, &["order-3", "order-1"]),
            (OrderSearch { payment_status, status, ..OrderSearch::default() }, &["order-3"]),
            (OrderSearch { target: target.clone(), ..OrderSearch::default() }, &["order-5", "order-3", "order-2", "order-1"]),
            (OrderSearch { target, status, ..OrderSearch::default() }, &["order-3"]),
            (OrderSearch { status: Some(OrderStatus::Canceled), ..OrderSearch::default() }, &[]),
        ] {
            assert_eq!(list(&world, filter.clone()).await, expected, "{filter:?}");
        }
        // Both ends of the range are included.
        let (from, to) = (world.order("order-2").await.order.created_at, world.order("order-3").await.order.created_at);
        let between = OrderSearch { date_from: Some(from), date_to: Some(to), ..OrderSearch::default() };
        assert_eq!(list(&world, between).await, ["order-3", "order-2"]);
    }

    async fn a_page_that_is_full_to_the_end_is_the_last(world = shop) {
        for number in 0..2 {
            world.create_order(order_send(&format!("order-{number}"), free())).await.unwrap();
        }
        let page = |limit| OrderSearch { limit, ..OrderSearch::default() };
        let full = world.app.commerce().orders().list(&world.me(), &page(2)).await.unwrap();
        assert_eq!((full.orders.len(), full.next), (2, None));
        let one = world.app.commerce().orders().list(&world.me(), &page(1)).await.unwrap();
        let wrong = OrderSearch { after: one.next.map(|next| format!("{next}x")), ..page(1) };
        assert!(world.app.commerce().orders().list(&world.me(), &wrong).await.is_err());
    }
}
