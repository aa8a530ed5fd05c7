//! Pages of orders: the newest first, by any filter, each order once.

use app::orders::{Filter, Page};
use domain::orders::Status;
use domain::payments::Status as PaymentStatus;
use sandbox::driver::Outcome;

use crate::orders::shop::{free, order_send, status_send};
use crate::sending::world::{ADA, BEN, World};

fn references(page: &Page) -> Vec<&str> {
    page.orders.iter().map(|one| one.order.reference_id()).collect()
}

impl World {
    async fn list(&self, filter: Filter) -> Vec<String> {
        let limit = if filter.limit == 0 { 2 } else { filter.limit };
        let mut filter = Filter { limit, ..filter };
        let mut all = Vec::new();
        loop {
            let page = self.app().orders().list(&self.caller(), &filter).await.unwrap();
            assert!(page.orders.len() <= limit);
            all.extend(references(&page).into_iter().map(str::to_owned));
            if page.next.is_none() {
                return all;
            }
            filter.after = page.next;
        }
    }
}

testkit::both_databases! {
    async fn every_filter_finds_what_it_means(test) {
        let world = World::shop(test).await;
        world.say(BEN, "hello").await;
        for number in 1..=5 {
            let mut send = order_send(&format!("order-{number}"), free());
            if number == 4 {
                BEN.clone_into(&mut send.target);
            }
            world.create(send).await.unwrap();
            world.drain().await;
            world.advance(60).await;
        }
        for reference in ["order-1", "order-3"] {
            world.pay(reference, Outcome::Captured).await;
        }
        world.look_up().await;
        for reference in ["order-3", "order-4"] {
            world.says(status_send(reference, "processing", free())).await.unwrap();
        }
        let (status, payment_status) = (Some(Status::Processing), Some(PaymentStatus::Captured));
        let target = Some(ADA.to_owned());
        let all = ["order-5", "order-4", "order-3", "order-2", "order-1"];
        for (filter, expected) in [
            (Filter::default(), &all[..]),
            (Filter { limit: 5, ..Filter::default() }, &all[..]),
            (Filter { status, ..Filter::default() }, &["order-4", "order-3"][..]),
            (Filter { payment_status, ..Filter::default() }, &["order-3", "order-1"]),
            (Filter { payment_status, status, ..Filter::default() }, &["order-3"]),
            (Filter { target: target.clone(), ..Filter::default() }, &["order-5", "order-3", "order-2", "order-1"]),
            (Filter { target, status, ..Filter::default() }, &["order-3"]),
            (Filter { status: Some(Status::Canceled), ..Filter::default() }, &[]),
        ] {
            assert_eq!(world.list(filter.clone()).await, expected, "{filter:?}");
        }
        // Both ends belong to it.
        let (from, to) = (world.order("order-2").await.order.created_at, world.order("order-3").await.order.created_at);
        let between = Filter { date_from: Some(from), date_to: Some(to), ..Filter::default() };
        assert_eq!(world.list(between).await, ["order-3", "order-2"]);
    }

    async fn a_page_that_is_full_to_the_end_is_the_last(test) {
        let world = World::shop(test).await;
        for number in 0..2 {
            world.create(order_send(&format!("order-{number}"), free())).await.unwrap();
        }
        let page = |limit| Filter { limit, ..Filter::default() };
        let full = world.app().orders().list(&world.caller(), &page(2)).await.unwrap();
        assert_eq!((full.orders.len(), full.next), (2, None));
        let one = world.app().orders().list(&world.caller(), &page(1)).await.unwrap();
        let wrong = Filter { after: one.next.map(|next| format!("{next}x")), ..page(1) };
        assert!(world.app().orders().list(&world.caller(), &wrong).await.is_err());
    }
}
