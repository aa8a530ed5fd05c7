//! Look-ups: repeated after failures, not made too early, made by one node at a time, and ended after a while.

use app::App;
use domain::payments::PaymentStatus;
use sandbox::driver::{Fail, Outcome};
use testkit::both_databases;

use crate::payments::shop::{SWEEP, Shop};

const HOUR: u64 = 3600;

async fn look_ups_fail(shop: &Shop, count: u32) {
    let fail = Fail { kind: "lookup_error".to_owned(), count: Some(count), ..Fail::default() };
    shop.wired.sandbox.fail(shop.wired.tenant, fail).await.unwrap();
}

async fn stored(shop: &Shop) -> domain::orders::Order {
    let found = store::orders::show(shop.app().db(), shop.wired.tenant, "tea-1").await.unwrap();
    found.unwrap().order
}

/// Number of look-ups since the last change of the payment's state.
async fn look_ups(shop: &Shop) -> i64 {
    stored(shop).await.attempts.fruitless
}

async fn faults_left(shop: &Shop) -> u32 {
    let faults = shop.wired.sandbox.faults(shop.wired.tenant).await.unwrap();
    faults.faults.iter().map(|fault| fault.left).sum()
}

async fn look_up(node: &App) -> app::Result<()> {
    node.payments().look_up_due(&|| false).await
}

both_databases! {
    async fn a_failed_look_up_is_repeated_after_a_pause(test) {
        let shop = Shop::with_order(test, "tea-1").await;
        look_ups_fail(&shop, 2).await;
        shop.pays("tea-1", Outcome::Captured).await;
        shop.looks().await;
        assert_eq!((shop.stands("tea-1").await, faults_left(&shop).await), ((PaymentStatus::Pending, Some(PaymentStatus::Captured)), 1));
        // The look-up is not repeated at once.
        shop.looks().await;
        assert_eq!(faults_left(&shop).await, 1);
        shop.advance(10).await;
        shop.looks().await;
        assert_eq!((shop.stands("tea-1").await, faults_left(&shop).await), ((PaymentStatus::Pending, Some(PaymentStatus::Captured)), 0));
        shop.advance(60).await;
        shop.looks().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        assert_eq!(shop.event_names().await, ["orderUpdated", "paymentCaptured", "orderUpdated"]);
    }

    async fn an_order_is_not_looked_up_before_its_time(test) {
        let shop = Shop::with_order(test, "tea-1").await;
        look_ups_fail(&shop, 100).await;
        shop.advance(SWEEP - 60).await;
        shop.looks().await;
        assert_eq!(faults_left(&shop).await, 100);
        shop.advance(60).await;
        shop.looks().await;
        assert_eq!(faults_left(&shop).await, 99);
    }

    async fn an_unpaid_order_is_looked_up_with_growing_pauses(test) {
        let shop = Shop::with_order(test, "tea-1").await;
        for _ in 0..24 {
            shop.advance(HOUR).await;
            shop.looks().await;
        }
        let first_day = look_ups(&shop).await;
        assert!((4..=8).contains(&first_day), "{first_day}");
        for _ in 0..3 * 39 {
            shop.advance(8 * HOUR).await;
            shop.looks().await;
        }
        let all = look_ups(&shop).await;
        assert!((first_day + 15..first_day + 31).contains(&all), "{first_day} {all}");
        assert_eq!(stored(&shop).await.lookup_at, None);
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, None));
    }

    async fn two_nodes_ask_once(test) {
        let shop = Shop::with_order(test, "tea-1").await;
        let (one, other) = (shop.wired.another_node(), shop.wired.another_node());
        look_ups_fail(&shop, 10).await;
        shop.pays("tea-1", Outcome::Captured).await;
        let (first, second) = tokio::join!(look_up(&one), look_up(&other));
        first.and(second).unwrap();
        assert_eq!(faults_left(&shop).await, 9);
        shop.wired.sandbox.clear_faults(shop.wired.tenant).await.unwrap();
        shop.advance(60).await;
        let (first, second) = tokio::join!(look_up(&one), look_up(&other));
        first.and(second).unwrap();
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        assert_eq!(shop.event_names().await, ["orderUpdated", "paymentCaptured", "orderUpdated"]);
    }
}
