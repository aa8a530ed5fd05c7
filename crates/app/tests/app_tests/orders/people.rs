//! Orders when contacts are merged or erased: the record of money stays.

use app::Error;
use app::commerce::orders::OrderSearch;
use domain::commerce::payments::PaymentStatus;
use sandbox::driver::Outcome;

use crate::orders::shop::{Orders as _, free, ordered_shop, status_send};
use crate::sending::world::{ADA, business};

testkit::both_databases! {
    async fn orders_of_an_erased_contact_stay_without_a_contact(world = ordered_shop) {
        world.pay("order-1", Outcome::Captured).await;
        world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        let shown = world.order("order-1").await;
        assert_eq!((shown.order.contact_id, shown.target), (None, None));
        // The network's report named the person, so its content is erased.
        let reports = store::messaging::network_reports::about(world.app.db(), world.tenant(), "payment", "order-1").await.unwrap();
        assert!(!reports.is_empty() && reports.iter().all(|one| one.doc.is_empty()), "{reports:?}");
        // The payment still reaches its final state.
        world.look_up().await;
        assert_eq!(world.payment("order-1").await.status, PaymentStatus::Captured);
        let error = world.set_order(status_send("order-1", "shipped", free())).await.unwrap_err();
        assert!(matches!(error, Error::Refused { cause: app::Cause::Send(app::messaging::messages::Refusal::ContactGone), .. }), "{error:?}");
    }

    async fn orders_follow_their_contact_and_go_back_with_it(world = business) {
        world.say(crate::sending::world::BEN, "hello").await;
        world.later(5).await;
        world.say(ADA, "hello").await;
        world.ordered("order-1").await;
        let of = |target: &str| OrderSearch { target: Some(target.to_owned()), limit: 10, ..OrderSearch::default() };
        let merged = world.app.people().contacts().merge(&world.me(), crate::sending::world::BEN, ADA).await.unwrap();
        let order = world.order("order-1").await.order;
        assert_eq!(order.contact_id, Some(merged.contact.id));
        let found = world.app.commerce().orders().list(&world.me(), &of(crate::sending::world::BEN)).await.unwrap();
        assert_eq!(found.orders.len(), 1);
        let (kept, parted) = world.app.people().contacts().undo_merge(&world.me(), merged.id).await.unwrap();
        assert_ne!(kept.id, parted.id);
        // Both contacts had a conversation on the same channel: the joined conversation stays with the kept contact.
        assert_eq!(world.order("order-1").await.order.contact_id, Some(kept.id));
    }
}
