//! Look-ups: repeated after failures, not made too early, made by one node at a time, and ended after a while.

use app::App;
use domain::commerce::payments::PaymentStatus;
use sandbox::driver::{Fail, Outcome};
use testkit::{World, both_databases};

use crate::orders::shop::Orders as _;
use crate::payments::shop::{Payments as _, SWEEP, tea_shop};

const HOUR: u64 = 3600;

async fn look_ups_fail(shop: &World, count: u32) {
    let fail = Fail { kind: "lookup_error".to_owned(), count: Some(count), ..Fail::default() };
    shop.sandbox().fail(shop.tenant(), fail).await.unwrap();
}

async fn stored(shop: &World) -> domain::commerce::orders::Order {
    let found = store::commerce::orders::show(shop.app.db(), shop.tenant(), "tea-1").await.unwrap();
    found.unwrap().order
}

/// Number of look-ups since the last change of the payment's state.
async fn look_ups(shop: &World) -> i64 {
    stored(shop).await.attempts.fruitless
}

async fn faults_left(shop: &World) -> u32 {
    let faults = shop.sandbox().faults(shop.tenant()).await.unwrap();
    faults.faults.iter().map(|fault| fault.left).sum()
}

async fn look_up(node: &App) -> app::Result<()> {
    node.commerce().payments().look_up_due(&|| false).await
}

both_databases! {
    async fn a_failed_look_up_is_repeated_after_a_pause(shop = tea_shop) {
        look_ups_fail(&shop, 2).await;
        shop.pays("tea-1", Outcome::Captured).await;
        shop.look_up().await;
        assert_eq!((shop.stands("tea-1").await, faults_left(&shop).await), ((PaymentStatus::Pending, Some(PaymentStatus::Captured)), 1));
        // The look-up is not repeated at once.
        shop.look_up().await;
        assert_eq!(faults_left(&shop).await, 1);
        shop.later(10).await;
        shop.look_up().await;
        assert_eq!((shop.stands("tea-1").await, faults_left(&shop).await), ((PaymentStatus::Pending, Some(PaymentStatus::Captured)), 0));
        shop.later(60).await;
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        assert_eq!(shop.event_names().await, ["orderUpdated", "paymentCaptured", "orderUpdated"]);
    }

    async fn an_order_is_not_looked_up_before_its_time(shop = tea_shop) {
        look_ups_fail(&shop, 100).await;
        shop.later(SWEEP - 60).await;
        shop.look_up().await;
        assert_eq!(faults_left(&shop).await, 100);
        shop.later(60).await;
        shop.look_up().await;
        assert_eq!(faults_left(&shop).await, 99);
    }

    async fn an_unpaid_order_is_looked_up_with_growing_pauses(shop = tea_shop) {
        for _ in 0..24 {
            shop.later(HOUR).await;
            shop.look_up().await;
        }
        let first_day = look_ups(&shop).await;
        assert!((4..=8).contains(&first_day), "{first_day}");
        for _ in 0..3 * 39 {
            shop.later(8 * HOUR).await;
            shop.look_up().await;
        }
        let all = look_ups(&shop).await;
        assert!((first_day + 15..first_day + 31).contains(&all), "{first_day} {all}");
        assert_eq!(stored(&shop).await.lookup_at, None);
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, None));
    }

    async fn two_nodes_ask_once(shop = tea_shop) {
        let (one, other) = (shop.another_node(), shop.another_node());
        look_ups_fail(&shop, 10).await;
        shop.pays("tea-1", Outcome::Captured).await;
        let (first, second) = tokio::join!(look_up(&one), look_up(&other));
        first.and(second).unwrap();
        assert_eq!(faults_left(&shop).await, 9);
        shop.sandbox().clear_faults(shop.tenant()).await.unwrap();
        shop.later(60).await;
        let (first, second) = tokio::join!(look_up(&one), look_up(&other));
        first.and(second).unwrap();
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Captured, None));
        assert_eq!(shop.event_names().await, ["orderUpdated", "paymentCaptured", "orderUpdated"]);
    }
}
