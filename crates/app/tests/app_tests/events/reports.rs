//! Statuses in every order, and repeated: each is published once.

use domain::MessageId;
use testkit::World;

use crate::events::log::Published as _;
use crate::sending::world::{ADA, OFFER, business};

/// All orders of three statuses.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

testkit::both_databases! {
    async fn statuses_in_any_order_and_repeated_are_each_published_once(world = business) {
        for order in ORDERS {
            let id = world.accepted(OFFER, ADA).await;
            let network_id = format!("wamid.{id}");
            for place in order.into_iter().chain(order) {
                let status = ["sent", "delivered", "read"][place];
                world.status(&network_id, Some(id), status).await;
            }
            let mut events = world.event_names_of(id).await;
            let first = events.remove(0);
            assert_eq!(first, "templateMessageSent", "{order:?}");
            events.sort_unstable();
            assert_eq!(events, ["sentMessageDELIVERED", "sentMessageREAD"], "{order:?}");
        }
    }

    async fn both_versions_and_both_forms_are_published_side_by_side(world = business) {
        let id = world.accepted(OFFER, ADA).await;
        world.status("wamid.1", Some(id), "delivered").await;
        let events = world.published().await;
        let of_it = events.iter().filter(|event| event.payload["id"] == serde_json::json!(id));
        let names: Vec<_> = of_it.map(|event| event.kind.name()).collect();
        assert_eq!(names, [
            "templateMessageSent",
            "templateMessageSent_v2",
            "templateMessageSent_bsuid",
            "templateMessageSent_v2_bsuid",
            "sentMessageDELIVERED",
            "sentMessageDELIVERED_v2",
        ]);
    }

    async fn nothing_is_published_about_a_deleted_person(world = business) {
        let id = world.accepted(OFFER, ADA).await;
        world.drain().await;
        world.app.people().contacts().delete(&world.me(), ADA).await.unwrap();
        let before = event_names_of(&world, id).await;
        world.later(120).await;
        assert_eq!(event_names_of(&world, id).await, before);
    }
}

async fn event_names_of(world: &World, id: MessageId) -> usize {
    world.event_names_of(id).await.len()
}
