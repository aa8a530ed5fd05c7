//! The same sightings lead to the same people in any order.

use domain::people::bsuid::is_generated;
use domain::people::contacts::Sighting;
use domain::people::contacts::identity::IdentityKind;
use domain::{ContactId, Id, TenantId, Timestamp};
use proptest::prelude::*;
use store::{Engine, Tx};
use testkit::World;
use testkit::database::{TestDb, random_tenant};

use super::people::{any_sighting, at, expected, found, sighting, sightings};
use super::{cases, for_all, runtime};
use crate::contacts::world::{Contacts as _, State};

const ALL_ORDERS_UP_TO: usize = 5;

/// All orders of up to `ALL_ORDERS_UP_TO` sightings; of more sightings, `random` pseudo-random orders.
fn orders(sightings: &[Sighting], random: usize) -> Vec<Vec<Sighting>> {
    if sightings.len() <= ALL_ORDERS_UP_TO {
        return permutations(sightings);
    }
    let shuffled = |seed: u64| {
        let mut places: Vec<usize> = (0..sightings.len()).collect();
        // Seeded, so that a failure can be repeated.
        places.sort_by_key(|place| mixed(seed, *place));
        places.into_iter().map(|place| sightings[place].clone()).collect()
    };
    (0..).map(shuffled).take(random).collect()
}

fn mixed(seed: u64, place: usize) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    (seed, place).hash(&mut hasher);
    hasher.finish()
}

fn permutations(sightings: &[Sighting]) -> Vec<Vec<Sighting>> {
    let Some((last, rest)) = sightings.split_last() else { return vec![Vec::new()] };
    let places = |order: Vec<Sighting>| {
        (0..=order.len()).map(move |place| {
            let mut longer = order.clone();
            longer.insert(place, last.clone());
            longer
        })
    };
    permutations(rest).into_iter().flat_map(places).collect()
}

/// Resolves each order in a tenant of its own. All in one transaction, since the test is only about the order.
async fn seen_in_orders(test: &TestDb, orders: Vec<Vec<Sighting>>) -> Vec<State> {
    let input = (orders, test.clock.now());
    let seen = test.db.write(input, |tx, (orders, now)| {
        Box::pin(async move {
            let mut states = Vec::new();
            for order in orders {
                states.push(seen_in_order(tx, random_tenant(), order, *now).await?);
            }
            Ok::<_, app::Error>(states)
        })
    });
    seen.await.unwrap()
}

async fn seen_in_order(tx: &mut Tx<'_>, tenant: TenantId, order: &[Sighting], now: Timestamp) -> app::Result<State> {
    for (i, sighting) in (0..).zip(order) {
        app::people::contacts::resolve_contact(tx, tenant, sighting, now.plus_seconds(i), &[]).await?;
    }
    Ok(State::read(tx, tenant).await?)
}

fn every_order_ends_in_the_same_people(engine: Engine, few: u32, many: u32) {
    let runtime = runtime();
    let test = runtime.block_on(TestDb::on(engine));
    let check = |set: Vec<Sighting>| {
        let expected = expected(&set);
        for state in runtime.block_on(seen_in_orders(&test, orders(&set, 20))) {
            assert_eq!(found(&state), expected);
        }
    };
    let small = prop_oneof![4 => sightings(2..=3), 3 => sightings(4), 1 => sightings(5)];
    for_all(few, &small, check);
    for_all(many, &sightings(6..=14), check);
    runtime.block_on(async { drop(test) });
}

#[test]
fn every_order_ends_in_the_same_people_sqlite() {
    every_order_ends_in_the_same_people(Engine::Sqlite, cases(200, 3000), cases(20, 400));
}

#[test]
fn every_order_ends_in_the_same_people_postgres() {
    every_order_ends_in_the_same_people(Engine::Postgres, cases(8, 200), cases(4, 100));
}

testkit::both_databases! {
    /// A generated BSUID gives way to the network's, which later sightings do not change; targets of all other identities
    /// find the same contact.
    async fn the_first_bsuid_of_the_network_stays_primary(world = World::new) {
        let (me, tenant) = (world.me(), world.tenant());
        let ours = world.resolve(tenant, &sighting(Some("14155552671"), &[], 5)).await;
        assert!(ours.bsuid.starts_with("US.") && ours.parent_bsuid.starts_with("US.ENT."));
        let theirs = Sighting { parent_bsuid: Some("US.ENT.5".to_owned()), ..sighting(None, &["US.5"], 3) };
        let named = world.resolve(tenant, &theirs).await;
        assert_eq!((named.bsuid.as_str(), named.parent_bsuid.as_str()), ("US.5", "US.ENT.5"));
        // A changed BSUID with another number: all of these are one person, under the first BSUID that the network named.
        let report = Sighting { parent_bsuid: Some("US.ENT.6".to_owned()), ..sighting(Some("4915123456789"), &["US.5", "BR.1"], 9) };
        world.resolve(tenant, &report).await;
        let one = world.resolve(tenant, &sighting(Some("14155552671"), &["BR.1"], 7)).await;
        assert_eq!((one.id, one.bsuid.as_str(), one.parent_bsuid.as_str()), (ours.id, "US.5", "US.ENT.5"));
        assert_eq!(one.phone.as_deref(), Some("4915123456789"));
        let forms = [&ours.id.to_string(), &named.id.to_string(), &ours.bsuid, "US.5", "BR.1", "14155552671", "+49 1512 3456789"];
        for form in forms {
            let mut found = None;
            world.app.people().contacts().find(&me, form, &mut |contact| found = Some(contact.id)).await.unwrap();
            assert_eq!(found, Some(ours.id), "{form}");
            let history = world.app.people().contacts().history(&me, form).await.unwrap();
            assert_eq!(history.contact.id, ours.id, "{form}");
            assert!(history.identities.iter().any(|identity| identity.is(IdentityKind::Id, &named.id.to_string())));
            assert_eq!(history.merges.len(), 1);
        }
        world.state(tenant).await;
    }

    /// A report may contain the same BSUID twice.
    async fn one_bsuid_twice_is_one(world = World::new) {
        let contact = world.resolve(world.tenant(), &sighting(None, &["BR.1", "BR.1"], 1)).await;
        assert_eq!(contact.bsuid, "BR.1");
        assert_eq!(world.state(world.tenant()).await.identities.len(), 1);
    }

    /// Two contacts that two processes created in the same second: their ids do not show which is older.
    async fn the_older_contact_is_kept_whatever_its_id(world = World::new) {
        let tenant = world.tenant();
        let made = |entropy: u64, millis: i64, bsuid: &str| {
            let created_at = Timestamp::from_micros(at(0).micros() + millis * 1000);
            let new = domain::people::contacts::NewContact { bsuid: Some(bsuid.to_owned()), ..Default::default() };
            let id = Id::seeded(at(0), entropy);
            domain::people::contacts::Contact { id, created_at, ..domain::people::contacts::Contact::new(new, at(0)) }
        };
        let two = [made(9, 100, "BR.1"), made(3, 200, "BR.2")];
        world.test.db.write((tenant, two), |tx, (tenant, two)| Box::pin(async move {
            for contact in two {
                let bsuid = domain::people::contacts::identity::Identity::seen(IdentityKind::Bsuid, &contact.bsuid, at(0));
                store::people::contacts::insert(tx, *tenant, contact, &[bsuid]).await?;
            }
            Ok::<_, store::Error>(())
        })).await.unwrap();
        let one = world.resolve(tenant, &sighting(None, &["BR.2", "BR.1"], 4)).await;
        assert_eq!((one.bsuid.as_str(), one.id), ("BR.1", Id::seeded(at(0), 9)));
        world.state(tenant).await;
    }
}

/// The primary BSUID of a contact never changes, unless it was generated and the network names the person.
#[test]
fn keys_never_change() {
    let runtime = runtime();
    let world = runtime.block_on(World::new(Engine::Sqlite));
    let seen = proptest::collection::vec(any_sighting(), 1..25);
    for_all(cases(40, 500), &seen, |sightings| {
        let tenant = random_tenant();
        runtime.block_on(async {
            let mut keys: Vec<(ContactId, String, String)> = Vec::new();
            for sighting in &sightings {
                let contact = world.resolve(tenant, sighting).await;
                let key = (contact.id, contact.bsuid, contact.parent_bsuid);
                let stays = |was: &str, is: &str| was == is || is_generated(was) && !is_generated(is);
                let known = keys.iter().rev().find(|(id, ..)| *id == key.0);
                assert!(known.is_none_or(|(_, bsuid, parent)| stays(bsuid, &key.1) && stays(parent, &key.2)));
                keys.push(key);
            }
            for contact in world.state(tenant).await.contacts {
                let made = (contact.id, contact.bsuid, contact.parent_bsuid);
                assert!(keys.contains(&made));
            }
        });
    });
    runtime.block_on(async { drop(world) });
}
