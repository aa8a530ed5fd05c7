//! Statuses in every order, and repeated: each is published once.

use domain::MessageId;
use domain::delivery::events::EventType;
use domain::people::bsuid::is_generated;
use domain::people::contacts::Sighting;
use testkit::World;

use crate::contacts::world::Contacts as _;
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

    async fn events_name_a_person_by_the_networks_bsuid_from_the_first_one_on(world = business) {
        let made = world.contact(ADA, "Ada").await;
        assert!(is_generated(&made.bsuid));
        world.accepted(OFFER, ADA).await;
        world.drain().await;
        world.later(60).await;
        let history = world.app.people().contacts().history(&world.me(), ADA).await.unwrap();
        let named = history.contact.bsuid;
        assert!(history.contact.id == made.id && !is_generated(&named));
        assert!(history.identities.iter().any(|identity| identity.value == made.bsuid));
        let events = world.published().await;
        let about_her: Vec<_> = events.iter().filter(|event| event.payload["bsuid"].is_string()).collect();
        assert!(about_her.iter().any(|event| event.kind == EventType::TemplateMessageSentBsuid));
        for event in about_her {
            assert_eq!(event.payload["bsuid"], serde_json::json!(named), "{}", event.text);
        }
    }

    async fn events_never_name_a_person_by_a_generated_bsuid_if_another_contact_has_the_networks(world = business) {
        let people = world.sandbox().people(world.tenant()).await.unwrap().people;
        let named = people.iter().find(|one| one.phone.as_deref() == Some(ADA)).unwrap().bsuid.clone();
        // The network has shown her without a number, and the business has added her number.
        let sighting = Sighting {
            phone: None,
            bsuids: vec![named.clone()],
            parent_bsuid: None,
            username: None,
            name: Some("ada".to_owned()),
            source: "WHATSAPP".to_owned(),
            at: world.now(),
        };
        let first = world.resolve(world.tenant(), &sighting).await;
        let second = world.contact(ADA, "Ada").await;
        assert!(first.id != second.id && is_generated(&second.bsuid));
        let id = world.accepted(OFFER, ADA).await;
        world.drain().await;
        world.later(60).await;
        let history = world.app.people().contacts().history(&world.me(), ADA).await.unwrap();
        assert_eq!((history.contact.id, &history.contact.bsuid), (first.id, &named), "both are one contact");
        assert!(history.identities.iter().any(|identity| identity.value == second.bsuid));
        let events = world.published().await;
        let about_it = events.iter().filter(|event| event.payload["id"] == serde_json::json!(id));
        let ids: Vec<_> = about_it.map(|event| &event.payload["bsuid"]).filter(|bsuid| bsuid.is_string()).collect();
        assert!(!ids.is_empty() && ids.iter().all(|bsuid| **bsuid == serde_json::json!(named)), "{ids:?}");
    }

    async fn people_whom_an_undone_merge_keeps_apart_stay_apart_when_the_network_names_one(world = business) {
        let people = world.sandbox().people(world.tenant()).await.unwrap().people;
        let named = people.iter().find(|one| one.phone.as_deref() == Some(ADA)).unwrap().bsuid.clone();
        let sighting = Sighting {
            phone: None,
            bsuids: vec![named],
            parent_bsuid: None,
            username: None,
            name: None,
            source: "WHATSAPP".to_owned(),
            at: world.now(),
        };
        let (first, second) = (world.resolve(world.tenant(), &sighting).await, world.contact(ADA, "Ada").await);
        let contacts = world.app.people().contacts();
        let merged = contacts.merge(&world.me(), &first.id.to_string(), &second.id.to_string()).await.unwrap();
        contacts.undo_merge(&world.me(), merged.id).await.unwrap();
        world.accepted(OFFER, ADA).await;
        world.drain().await;
        let history = contacts.history(&world.me(), ADA).await.unwrap();
        assert_eq!((history.contact.id, history.contact.bsuid), (second.id, second.bsuid));
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
