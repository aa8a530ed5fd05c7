//! Merging two contacts and undoing the merge: everything is as before, except for later changes.

use app::Error;
use app::people::contacts::{AttributeUpdate, ConsentUpdate, NewContact};
use app::people::segments::NewSegment;
use domain::people::contacts::{CustomParam, Sighting};
use domain::{Field, Id, MergeId, SegmentId};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use store::Engine;
use testkit::World;
use testkit::world::OnWorld;

use super::people::{any_sighting, at, sighting};
use super::{cases, for_all, runtime};
use crate::contacts::world::{Contacts as _, State};

/// One step on a tenant's contacts. An `Index` picks one of the present contacts.
#[derive(Debug, Clone)]
enum Step {
    See(Sighting),
    Add(&'static str, &'static str),
    Attributes(Index, Vec<CustomParam>),
    Teams(Index, Vec<String>),
    Consent(Index, ConsentUpdate),
    Segment(Vec<Index>),
    Merge(Index, Index),
    Undo(Index),
}

fn any_consent() -> impl Strategy<Value = ConsentUpdate> {
    let maybe = || proptest::option::of(any::<bool>());
    (maybe(), maybe(), maybe(), maybe()).prop_map(|(opted_in, allow_broadcast, allow_sms, blocked)| ConsentUpdate {
        opted_in,
        allow_broadcast,
        allow_sms,
        blocked,
        source: Some("form".to_owned()),
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let param = ("[abc]", "[xyz]{1,4}").prop_map(|(name, value)| CustomParam { name, value });
    let params = vec(param, 1..3).prop_map(|mut params| {
        params.dedup_by(|a, b| a.name == b.name);
        params
    });
    let team = select(vec!["Sales", "Support", "sales"]).prop_map(str::to_owned);
    let phone = select(vec!["14155552671", "4915123456789", "442071838750", "33142685300"]);
    prop_oneof![
        5 => any_sighting().prop_map(Step::See),
        2 => (phone, select(vec!["", "Ada", "Bob"])).prop_map(|(phone, name)| Step::Add(phone, name)),
        3 => (any::<Index>(), params).prop_map(|(who, params)| Step::Attributes(who, params)),
        2 => (any::<Index>(), vec(team, 0..3)).prop_map(|(who, teams)| Step::Teams(who, teams)),
        2 => (any::<Index>(), any_consent()).prop_map(|(who, consent)| Step::Consent(who, consent)),
        1 => vec(any::<Index>(), 1..4).prop_map(Step::Segment),
        1 => (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Step::Merge(one, other)),
        1 => any::<Index>().prop_map(Step::Undo),
    ]
}

trait Merging: OnWorld {
    async fn ids(self) -> Vec<String> {
        self.state(self.tenant()).await.contacts.iter().map(|contact| contact.id.to_string()).collect()
    }

    async fn take(self, step: Step) {
        let (me, contacts, ids) = (self.me(), self.app.people().contacts(), self.ids().await);
        self.tick();
        let who = |index: &Index| index.get(&ids).clone();
        match step {
            Step::See(sighting) => drop(self.resolve(me.0, &sighting).await),
            Step::Add(phone, name) => drop(contacts.add(&me, new(phone, name)).await.unwrap()),
            _ if ids.is_empty() => {}
            Step::Attributes(index, custom_params) => {
                let update = AttributeUpdate {
                    target: who(&index),
                    named_by: Field::Target,
                    custom_params,
                    removed_params: Vec::new(),
                    name: None,
                    own_in_params: false,
                };
                contacts.update(&me, update).await.unwrap();
            }
            Step::Teams(index, teams) => drop(contacts.set_teams(&me, &who(&index), teams).await.unwrap()),
            Step::Consent(index, update) => drop(contacts.set_consent(&me, &who(&index), update).await.unwrap()),
            Step::Segment(members) => {
                let contacts = members.iter().map(who).collect();
                let name = format!("segment {}", SegmentId::new(self.now()));
                let new = NewSegment { name, dynamic: false, groups: Vec::new(), contacts };
                self.app.people().contacts().create_segment(&me, new).await.unwrap();
            }
            Step::Merge(one, other) if who(&one) != who(&other) => drop(self.merge(&who(&one), &who(&other)).await),
            Step::Merge(..) => {}
            Step::Undo(index) => {
                let history = contacts.history(&me, &who(&index)).await.unwrap();
                if let Some(last) = history.merges.iter().rev().find(|merge| merge.undone_at.is_none()) {
                    contacts.undo_merge(&me, last.id).await.unwrap();
                }
            }
        }
    }

    async fn merge(self, one: &str, other: &str) -> MergeId {
        self.tick();
        self.app.people().contacts().merge(&self.me(), one, other).await.unwrap().id
    }

    async fn undo(self, merge: MergeId) {
        self.tick();
        self.app.people().contacts().undo_merge(&self.me(), merge).await.unwrap();
    }

    async fn refused(self, merge: MergeId) -> String {
        match self.app.people().contacts().undo_merge(&self.me(), merge).await {
            Err(Error::Conflict { place, message }) => format!("{place}: {message}"),
            other => panic!("not a conflict: {other:?}"),
        }
    }

    async fn rows(self) -> State {
        self.state(self.tenant()).await
    }
}

impl Merging for &World {}

fn new(target: &str, name: &str) -> NewContact {
    NewContact {
        target: target.to_owned(),
        name: name.to_owned(),
        custom_params: Vec::new(),
        source: None,
        own_in_params: false,
    }
}

fn param(target: &str, name: &str, value: &str) -> AttributeUpdate {
    let custom_params = vec![CustomParam { name: name.to_owned(), value: value.to_owned() }];
    AttributeUpdate {
        target: target.to_owned(),
        named_by: Field::Target,
        custom_params,
        removed_params: Vec::new(),
        name: None,
        own_in_params: false,
    }
}

/// Merges pairs of contacts one after the other, and undoes the merges in reverse order.
async fn merged_and_undone(world: &World, pairs: &[(Index, Index)]) {
    let mut undoing = Vec::new();
    for (one, other) in pairs {
        let (before, ids) = (world.rows().await, world.ids().await);
        let pick = |index: &Index| ids.get(index.index(ids.len().max(1))).cloned().unwrap_or_default();
        let (one, other) = (pick(one), pick(other));
        if one == other {
            continue;
        }
        let merge = world.merge(&one, &other).await;
        assert_eq!(world.rows().await.contacts.len(), ids.len() - 1);
        undoing.push((merge, before));
    }
    for (merge, before) in undoing.into_iter().rev() {
        world.undo(merge).await;
        assert_eq!(world.rows().await, before);
    }
}

fn undoing_restores_everything(engine: Engine, count: u32) {
    let runtime = runtime();
    let world = tokio::sync::Mutex::new(runtime.block_on(World::new(engine)));
    let input = (vec(any_step(), 2..30), vec((any::<Index>(), any::<Index>()), 1..5));
    for_all(count, &input, |(steps, pairs)| {
        runtime.block_on(async {
            let mut world = world.lock().await;
            world.test.tenant = world.test.new_tenant("unlimited").await;
            for step in steps {
                world.take(step).await;
            }
            merged_and_undone(&world, &pairs).await;
        });
    });
    runtime.block_on(async { drop(world) });
}

#[test]
fn undoing_restores_everything_sqlite() {
    undoing_restores_everything(Engine::Sqlite, cases(60, 1000));
}

#[test]
fn undoing_restores_everything_postgres() {
    undoing_restores_everything(Engine::Postgres, cases(8, 100));
}

testkit::both_databases! {
    async fn merges_are_undone_in_their_reverse_order(world = World::new) {
        let me = world.me();
        for phone in ["14155552671", "4915123456789", "442071838750", "33142685300"] {
            world.tick();
            world.app.people().contacts().add(&me, new(phone, "")).await.unwrap();
        }
        // Merges the third and the fourth contact into the second, then the second into the first.
        let first = world.merge("4915123456789", "442071838750").await;
        let second = world.merge("33142685300", "4915123456789").await;
        let third = world.merge("14155552671", "4915123456789").await;
        let history = world.app.people().contacts().history(&me, "33142685300").await.unwrap();
        assert_eq!(history.merges.iter().map(|merge| merge.id).collect::<Vec<_>>(), [first, second, third]);
        // The first merge was followed by another merge into the same contact, the second by a merge of that contact
        // into another.
        assert_eq!(world.refused(first).await, format!("id: the contact has been merged again since: undo merge {third} first"));
        assert_eq!(world.refused(second).await, format!("id: the contact has been merged again since: undo merge {third} first"));
        world.undo(third).await;
        assert_eq!(world.refused(first).await, format!("id: the contact has been merged again since: undo merge {second} first"));
        assert_eq!(world.refused(third).await, "id: this merge was already undone");
        world.undo(second).await;
        world.undo(first).await;
        assert_eq!(world.rows().await.contacts.len(), 4);
        let unknown = world.app.people().contacts().undo_merge(&me, Id::new(world.now())).await;
        assert!(matches!(unknown, Err(Error::NotFound(app::Thing::Merge))));
        let same = world.app.people().contacts().merge(&me, "14155552671", "+1 415 555 2671").await;
        assert!(matches!(same, Err(Error::Conflict { .. })));
    }

    async fn later_changes_survive_an_undo(world = World::new) {
        let (me, contacts) = (world.me(), world.app.people().contacts());
        let ada = contacts.add(&me, new("14155552671", "Ada")).await.unwrap();
        world.tick();
        let bob = world.resolve(me.0, &Sighting { name: Some("Bob".to_owned()), ..sighting(Some("4915123456789"), &["US.5"], 1) }).await;
        contacts.update(&me, param("US.5", "tier", "gold")).await.unwrap();
        contacts.update(&me, param("US.5", "city", "Bern")).await.unwrap();
        let merge = world.merge("14155552671", "US.5").await;

        contacts.add(&me, new("14155552671", "Ada L.")).await.unwrap();
        contacts.update(&me, param("US.5", "tier", "lead")).await.unwrap();
        contacts.update(&me, param("US.5", "shoe", "38")).await.unwrap();
        contacts.set_consent(&me, "US.5", ConsentUpdate { opted_in: Some(false), ..ConsentUpdate::default() }).await.unwrap();
        // A new number of Bob, which cannot be distinguished from a number of Ada, and a later sighting of his BSUID.
        world.resolve(me.0, &sighting(Some("442071838750"), &["US.5"], 7)).await;
        world.undo(merge).await;

        let state = world.rows().await;
        let (ada, bob) = (state.contact(ada.id), state.contact(bob.id));
        assert_eq!((ada.name.as_str(), bob.name.as_str()), ("Ada L.", "Bob"));
        assert_eq!((ada.param("tier"), ada.param("city"), ada.param("shoe")), (Some("lead"), None, Some("38")));
        assert_eq!((bob.param("tier"), bob.param("city"), bob.param("shoe")), (Some("gold"), Some("Bern"), None));
        assert!(!ada.consent.opted_in && !bob.consent.opted_in);
        let numbers = |contact: &domain::people::contacts::Contact| contact.phone.clone().unwrap();
        assert_eq!(numbers(bob), "4915123456789");
        assert!(state.known_by(ada.id).any(|identity| identity.value == "442071838750"));
        let of_network = state.known_by(bob.id).find(|identity| identity.value == "US.5").unwrap();
        assert_eq!(of_network.last_seen, at(7));
    }

    /// The restored contact gets the number that it was last seen with, even if that was after the merge.
    async fn undoing_restores_the_other_with_its_later_sightings(world = World::new) {
        let me = world.me();
        world.resolve(me.0, &sighting(Some("14155552671"), &["US.5"], 1)).await;
        let bob = world.resolve(me.0, &sighting(Some("4915123456789"), &["BR.1"], 2)).await;
        world.resolve(me.0, &sighting(Some("442071838750"), &["BR.1"], 3)).await;
        let merge = world.merge("US.5", "BR.1").await;
        world.resolve(me.0, &sighting(Some("4915123456789"), &[], 4)).await;
        world.undo(merge).await;
        assert_eq!(world.rows().await.contact(bob.id).phone.as_deref(), Some("4915123456789"));
    }

    async fn sightings_do_not_merge_separated_contacts_again(world = World::new) {
        let me = world.me();
        let ada = world.resolve(me.0, &sighting(Some("14155552671"), &[], 1)).await;
        let bob = world.resolve(me.0, &sighting(None, &["US.5"], 2)).await;
        let one = world.resolve(me.0, &sighting(Some("14155552671"), &["US.5"], 3)).await;
        assert_eq!(one.id, ada.id);
        let merges = world.app.people().contacts().history(&me, "US.5").await.unwrap().merges;
        world.undo(merges[0].id).await;
        // The sighting belongs to the contact with its BSUID; the number stays with the other.
        let seen = world.resolve(me.0, &Sighting { username: Some("bob".to_owned()), ..sighting(Some("14155552671"), &["US.5"], 4) }).await;
        assert_eq!((seen.id, seen.username.as_deref(), seen.phone.as_deref()), (bob.id, Some("bob"), None));
        let state = world.rows().await;
        assert_eq!(state.contacts.len(), 2);
        assert!(state.known_by(ada.id).any(|identity| identity.value == "14155552671"));
        // A third contact that shares a key with both does not merge them either.
        world.resolve(me.0, &sighting(None, &["BR.1"], 5)).await;
        world.resolve(me.0, &sighting(Some("14155552671"), &["BR.1"], 6)).await;
        let seen = world.resolve(me.0, &sighting(Some("14155552671"), &["BR.1", "US.5"], 7)).await;
        assert_eq!(seen.id, bob.id);
        assert_eq!(world.rows().await.contacts.len(), 2);
        // An explicit merge is still possible.
        world.merge("14155552671", "US.5").await;
        assert_eq!(world.rows().await.contacts.len(), 1);
    }

    /// An undone merge of a contact also keeps apart the contact that it is merged into later.
    async fn separated_contacts_stay_apart_when_one_is_merged_into_a_third(world = World::new) {
        let me = world.me();
        let old = world.resolve(me.0, &sighting(None, &["BR.1"], 1)).await;
        world.resolve(me.0, &sighting(Some("14155552671"), &[], 1)).await;
        world.resolve(me.0, &sighting(None, &["US.5"], 2)).await;
        let merge = world.merge("14155552671", "US.5").await;
        world.undo(merge).await;
        let one = world.resolve(me.0, &sighting(Some("14155552671"), &["BR.1"], 3)).await;
        assert_eq!(one.id, old.id);
        world.resolve(me.0, &sighting(Some("14155552671"), &["US.5"], 4)).await;
        assert_eq!(world.rows().await.contacts.len(), 2);
    }
}
