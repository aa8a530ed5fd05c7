//! Concurrent sightings of the same people. On PostgreSQL, since SQLite has one writer.

use domain::TenantId;
use domain::people::contacts::Sighting;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use store::{Db, Location};
use testkit::database::random_tenant;
use testkit::postgres::shared_url;
use testkit::{Engine, World};

use super::cases;
use super::people::{expected, found, sighting, sightings};
use crate::contacts::world::{Contacts as _, resolve};

const TASKS: usize = 8;

async fn racers() -> (World, Db) {
    let world = World::new(Engine::Postgres).await;
    (world, Db::open(&Location::Postgres { url: shared_url(), connections: TASKS }).unwrap())
}

/// Runs one task for each list of sightings, all at the same time.
async fn all_at_once(world: &World, db: &Db, tenant: TenantId, lists: Vec<Vec<Sighting>>) {
    let start = std::sync::Arc::new(tokio::sync::Barrier::new(lists.len()));
    let tasks = lists.into_iter().map(|own| {
        let (db, app, now, start) = (db.clone(), world.app.clone(), world.now(), start.clone());
        tokio::spawn(async move {
            start.wait().await;
            for sighting in &own {
                resolve(&db, tenant, sighting, now, app.people().contact_followers()).await.unwrap();
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

/// One list for each task: all sightings, beginning at another one for each task, and in reverse order for every second
/// task.
fn overlapping(set: &[Sighting]) -> Vec<Vec<Sighting>> {
    let turned = |task: usize| {
        let mut own = set.to_vec();
        own.rotate_left(task * set.len() / TASKS);
        if task % 2 == 1 {
            own.reverse();
        }
        own
    };
    (0..TASKS).map(turned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_tasks_with_the_same_sightings_agree() {
    let (world, db) = racers().await;
    let mut runner = TestRunner::default();
    let sets = sightings(6..=16);
    for _ in 0..cases(6, 100) {
        let (tenant, set) = (random_tenant(), sets.new_tree(&mut runner).unwrap().current());
        all_at_once(&world, &db, tenant, overlapping(&set)).await;
        assert_eq!(found(&world.state(tenant).await), expected(&set), "{set:?}");
    }
}

/// A chain of sightings, each of which shares a number or a BSUID with the next: all of them are one person.
fn chain() -> Vec<Sighting> {
    let link = |n: usize| {
        let (phone, bsuid) = (format!("141555526{:02}", n.div_ceil(2)), format!("US.{}", n / 2));
        Sighting { phone: Some(phone), ..sighting(None, &[&bsuid], 0) }
    };
    (0..TASKS).map(link).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_link_between_two_people_is_lost() {
    let (world, db) = racers().await;
    for round in 0..cases(20, 400) {
        let (tenant, links) = (random_tenant(), chain());
        // In every second round, each number already has a contact.
        for link in links.iter().filter(|_| round % 2 == 0) {
            world.resolve(tenant, &Sighting { bsuids: Vec::new(), ..link.clone() }).await;
        }
        all_at_once(&world, &db, tenant, links.into_iter().map(|link| vec![link]).collect()).await;
        let state = world.state(tenant).await;
        assert_eq!(state.contacts.len(), 1, "{:?}", state.identities);
    }
}
