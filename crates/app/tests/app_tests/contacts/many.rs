//! Lists over more contacts than one page may scan.

use domain::people::contacts::{Condition, Contact, ContactFilter, CustomParam, NewContact};
use domain::{ContactId, Id};
use testkit::World;

use super::people::at;
use crate::contacts::lists::{Lists as _, populate};

const CONTACTS: usize = 12_000;
/// Every 900th contact has no attribute: no index answers the filter for those.
const SPARSE: usize = 900;
const SIZE: usize = 20;
/// Most contacts that one page may scan in addition to those that it shows.
const LOOKED_AT: usize = 5000;

/// The contacts, the oldest first.
fn population() -> Vec<Contact> {
    let contact = |number: usize| {
        let param = |name: &str, value: &str| CustomParam { name: name.to_owned(), value: value.to_owned() };
        let custom_params = if number.is_multiple_of(SPARSE) { Vec::new() } else { vec![param("a", "x")] };
        let new = NewContact { custom_params, ..NewContact::default() };
        // Seeded ids, since the counter in new ids may wrap around.
        let id = Id::seeded(at(0), u64::try_from(number).unwrap());
        Contact { id, ..Contact::new(new, at(0)) }
    };
    (0..CONTACTS).map(contact).collect()
}

fn is(operator: &str, value: &str) -> ContactFilter {
    let condition = Condition { name: "a".to_owned(), operator: operator.parse().unwrap(), value: value.to_owned() };
    ContactFilter { conditions: vec![condition], ..ContactFilter::default() }
}

testkit::both_databases! {
    async fn filters_without_an_index_give_short_pages_that_end(mut world = World::new) {
        let population = population();
        populate(&mut world, population.clone()).await;
        let filter = is("notExist", "");
        let wanted: Vec<ContactId> = population.iter().rev().filter(|one| one.custom_params.is_empty()).map(|one| one.id).collect();
        let pages = world.by_cursor(&filter, i64::try_from(SIZE).unwrap()).await;
        assert!(pages.len() > 1 && pages.iter().any(|(ids, next)| ids.len() < SIZE && next.is_some()), "{pages:?}");
        // The number of contacts that each page scanned is bounded.
        let place = |id: &ContactId| population.iter().rev().position(|one| one.id == *id).unwrap();
        let mut from = 0;
        for next in pages.iter().filter_map(|(_, next)| next.as_ref()) {
            let to = place(next) + 1;
            assert!((1..=LOOKED_AT + SIZE).contains(&(to - from)), "{from} {to}");
            from = to;
        }
        assert!(CONTACTS - from <= LOOKED_AT + SIZE);
        assert_eq!(pages.into_iter().flat_map(|(ids, _)| ids).collect::<Vec<_>>(), wanted);
    }

    async fn totals_are_exact_however_they_are_counted(mut world = World::new) {
        populate(&mut world, population()).await;
        let sparse = i64::try_from(CONTACTS.div_ceil(SPARSE)).unwrap();
        let whole = i64::try_from(CONTACTS).unwrap();
        for (filter, total) in [
            (ContactFilter::default(), whole),
            (is("notExist", ""), sparse),
            (is("==", "y"), 0),
            // Counted by the index alone, by the index with a check of each contact, by subtracting from all contacts,
            // and without the index.
            (is("==", "x"), whole - sparse),
            (is("contain", "x"), whole - sparse),
            (is("!=", "y"), whole),
            (is("!=", "x"), sparse),
            (ContactFilter { name: Some("a".to_owned()), ..is("!=", "y") }, 0),
            (ContactFilter { conditions: [is("!=", "y"), is("!=", "z")].map(|one| one.conditions).concat(), ..ContactFilter::default() }, whole),
        ] {
            let end = world.app.people().contacts().list(&world.me(), &filter, app::people::contacts::Start::Page(0), 1, true, &mut |_| ()).await;
            assert_eq!(end.unwrap().total, Some(total), "{filter:?}");
        }
    }

    /// Totals are cached until a contact changes.
    async fn totals_follow_every_change(world = World::new) {
        let (me, contacts) = (world.me(), world.app.people().contacts());
        let total = async || {
            let end = contacts.list(&me, &is("exist", ""), app::people::contacts::Start::Page(0), 1, true, &mut |_| ()).await;
            end.unwrap().total.unwrap()
        };
        let new = |target: &str| app::people::contacts::NewContact {
            target: target.to_owned(),
            name: String::new(),
            custom_params: vec![CustomParam { name: "a".to_owned(), value: "x".to_owned() }],
            source: None,
            own_in_params: false,
        };
        assert_eq!(total().await, 0);
        contacts.add(&me, new("14155552671")).await.unwrap();
        assert_eq!(total().await, 1);
        contacts.add(&me, new("4915123456789")).await.unwrap();
        assert_eq!(total().await, 2);
        let merge = contacts.merge(&me, "14155552671", "4915123456789").await.unwrap();
        assert_eq!(total().await, 1);
        contacts.undo_merge(&me, merge.id).await.unwrap();
        assert_eq!(total().await, 2);
        contacts.delete(&me, "4915123456789").await.unwrap();
        assert_eq!(total().await, 1);
    }
}
