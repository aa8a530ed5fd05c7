//! Computations over many contacts leave the threads that answer requests, and static segments of many contacts are
//! written in several transactions.

use app::people::contacts::Start;
use app::people::segments::{NewSegment, SegmentUpdate};
use domain::people::contacts::{Condition, Contact, ContactFilter, ContactView, CustomParam, NewContact};
use domain::{ContactId, Field, Id};
use testkit::World;

use super::lists::{Lists as _, populate};
use super::people::at;

const CONTACTS: usize = 1500;

fn population() -> Vec<Contact> {
    let contact = |number: usize| {
        let value = if number.is_multiple_of(2) { "even" } else { "odd" };
        let custom_params = vec![CustomParam { name: "a".to_owned(), value: value.to_owned() }];
        let new = NewContact { name: format!("Person {number}"), custom_params, ..NewContact::default() };
        Contact { id: Id::seeded(at(0), u64::try_from(number).unwrap()), ..Contact::new(new, at(0)) }
    };
    (0..CONTACTS).map(contact).collect()
}

fn condition(operator: &str, value: String) -> Condition {
    Condition { name: "a".to_owned(), operator: operator.parse().unwrap(), value }
}

/// As many conditions as a segment may have. Every contact meets all but the last of each group, and all of the last
/// group.
fn all_conditions() -> Vec<Vec<Condition>> {
    let met = |count: usize| (0..count).map(|n| condition("notContain", n.to_string()));
    let not_met = |_| met(19).chain([condition("contain", "none".to_owned())]).collect();
    (0..9).map(not_met).chain([met(20).collect()]).collect()
}

fn segment(name: &str, groups: Vec<Vec<Condition>>, contacts: Vec<String>) -> NewSegment {
    NewSegment { name: name.to_owned(), dynamic: false, groups, contacts }
}

testkit::both_databases! {
    async fn a_scan_goes_on_in_turns_at_the_compute_threads(mut world = World::new) {
        populate(&mut world, population()).await;
        let (me, contacts) = (world.me(), world.app.people().contacts());
        let filter = ContactFilter { groups: all_conditions(), ..ContactFilter::default() };
        let mut listed = Vec::new();
        let mut show = |_: &ContactView<'_>| listed.push(store::is_computing());
        let list = contacts.list(&me, &filter, Start::Page(0), i64::try_from(CONTACTS).unwrap(), false, &mut show);
        store::for_tenant(world.tenant(), list).await.unwrap();
        assert_eq!(listed.len(), CONTACTS);
        // After a few reads, the work is a computation. On a busy machine the first one may be.
        assert!(listed[CONTACTS / 2..].iter().all(|computed| *computed), "{listed:?}");
    }

    async fn a_static_segment_of_many_contacts_has_all_of_them(mut world = World::new) {
        populate(&mut world, population()).await;
        let (me, contacts) = (world.me(), world.app.people().contacts());
        let even = vec![vec![condition("==", "even".to_owned())]];
        let ids: Vec<String> = population().iter().map(|contact| contact.id.to_string()).collect();
        // Some are named and chosen, and joined once.
        let made = contacts.create_segment(&me, segment("many", even.clone(), ids[..300].to_vec())).await.unwrap();
        assert_eq!(made.contacts, Some(CONTACTS / 2 + 150));
        let within = ContactFilter { segment: Some(made.segment.id), ..ContactFilter::default() };
        let members = world.page(&within, Start::Page(0), 5000).await;
        assert_eq!((members.0.len(), members.1.total), (900, Some(900)));
        // A name that is taken and a contact that does not exist refuse the whole segment.
        let taken = contacts.create_segment(&me, segment("MANY", even, ids.clone())).await;
        assert!(matches!(taken, Err(app::Error::Conflict { .. })), "{taken:?}");
        let unknown: Vec<String> = ids.iter().cloned().chain([ContactId::seeded(at(9), 1).to_string()]).collect();
        let before = store::people::contacts::count(&world.test.db, world.tenant()).await.unwrap();
        let missing = contacts.create_segment(&me, segment("more", Vec::new(), unknown.clone())).await;
        let is_named = matches!(&missing, Err(app::Error::Missing { place, .. }) if *place == Field::Contacts.at(1500));
        assert!(is_named, "{missing:?}");
        let update = SegmentUpdate { add: unknown, ..SegmentUpdate::default() };
        assert!(contacts.update_segment(&me, made.segment.id, update).await.is_err());
        let after = store::people::contacts::count(&world.test.db, world.tenant()).await.unwrap();
        assert_eq!(after, before, "nothing was changed");
        let name = Some("all".to_owned());
        let update = SegmentUpdate { name, remove: ids[..200].to_vec(), add: ids, ..SegmentUpdate::default() };
        assert_eq!(contacts.update_segment(&me, made.segment.id, update).await.unwrap().name, "all");
        let members = world.page(&within, Start::Page(0), 5000).await;
        assert_eq!((members.0.len(), members.1.total), (CONTACTS - 200, Some(1300)));
    }
}
