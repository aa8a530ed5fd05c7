//! Statuses in every order, repeated: each thing is told once.

use domain::MessageId;

use crate::sending::world::{ADA, OFFER, World};

/// All orders of three.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

testkit::both_databases! {
    async fn statuses_in_any_order_and_repeated_tell_each_thing_once(test) {
        let world = World::new(test).await;
        for order in ORDERS {
            let id = world.accepted(OFFER, ADA).await;
            let network_id = format!("wamid.{id}");
            for place in order.into_iter().chain(order) {
                let status = ["sent", "delivered", "read"][place];
                world.status(&network_id, Some(id), status).await;
            }
            let mut told = world.told_of(id).await;
            let first = told.remove(0);
            assert_eq!(first, "templateMessageSent", "{order:?}");
            told.sort_unstable();
            assert_eq!(told, ["sentMessageDELIVERED", "sentMessageREAD"], "{order:?}");
        }
    }

    async fn both_versions_and_both_forms_are_told_side_by_side(test) {
        let world = World::new(test).await;
        let id = world.accepted(OFFER, ADA).await;
        world.status("wamid.1", Some(id), "delivered").await;
        let told = world.told().await;
        let of_it = told.iter().filter(|told| told.payload["id"] == serde_json::json!(id));
        let names: Vec<_> = of_it.map(|told| told.kind.name()).collect();
        assert_eq!(names, [
            "templateMessageSent",
            "templateMessageSent_v2",
            "templateMessageSent_bsuid",
            "templateMessageSent_v2_bsuid",
            "sentMessageDELIVERED",
            "sentMessageDELIVERED_v2",
        ]);
    }

    async fn of_somebody_who_is_deleted_nothing_is_told(test) {
        let world = World::new(test).await;
        let id = world.accepted(OFFER, ADA).await;
        world.drain().await;
        world.app().contacts().delete(&world.caller(), ADA).await.unwrap();
        let before = told_of(&world, id).await;
        world.advance(120).await;
        assert_eq!(told_of(&world, id).await, before);
    }
}

async fn told_of(world: &World, id: MessageId) -> usize {
    world.told_of(id).await.len()
}
