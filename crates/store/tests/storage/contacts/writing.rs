//! The state after each kind of write.

use domain::Id;
use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Consent, Contact, CustomParam};
use rand::RngExt as _;
use rand::rngs::StdRng;
use store::Error;

use super::book::{Book, contact, known_by};
use crate::fixtures::{START, random};

/// A contact with required members only.
fn bare(number: u32) -> Contact {
    Contact {
        username: None,
        phone: None,
        name: String::new(),
        custom_params: vec![],
        teams: vec![],
        segments: vec![],
        labels: vec![],
        consent: Consent { opted_in: false, source: None, at: None },
        blocked_at: None,
        ..contact(number)
    }
}

fn changed(before: &Contact) -> Contact {
    Contact {
        name: "Grace".to_owned(),
        phone: None,
        custom_params: vec![CustomParam { name: "tier".to_owned(), value: "gold".to_owned() }],
        segments: vec![Id::seeded(START, 77)],
        labels: vec![Id::seeded(START, 78)],
        consent: Consent { opted_in: false, source: Some("STOP".to_owned()), at: Some(START) },
        blocked_at: None,
        updated_at: before.updated_at.plus_seconds(60),
        ..before.clone()
    }
}

/// Random changes, alone or combined.
fn changed_at_random(rng: &mut StdRng, before: &Contact) -> Contact {
    let mut after = before.clone();
    if rng.random() {
        after.name = format!("Name {}", rng.random_range(0..20));
    }
    if rng.random() {
        let value = rng.random_range(100..104).to_string();
        after.custom_params = vec![CustomParam { name: "size".to_owned(), value }];
    }
    if rng.random() {
        after.segments = (0..rng.random_range(0..3)).map(|n| Id::seeded(START, n)).collect();
    }
    if rng.random() {
        after.username = None;
    }
    after
}

testkit::both_databases! {
    async fn a_new_contact_is_there_with_all_that_it_is_known_and_found_by((book, _test) = Book::on) {
        let (full, bare) = (contact(1), bare(2));
        book.insert(&full).await.unwrap();
        book.assert_holds(&[&full]).await;
        book.insert(&bare).await.unwrap();
        book.assert_holds(&[&full, &bare]).await;
        let sorted = |mut all: Vec<Identity>| { all.sort_unstable(); all };
        assert_eq!(sorted(book.identities(full.id).await), sorted(known_by(&full)));
        assert_eq!(book.identities(bare.id).await, known_by(&bare));
    }

    async fn many_are_made_at_once_or_none((book, _test) = Book::on) {
        let many: Vec<Contact> = (0..300).map(contact).collect();
        book.insert_many(&many).await.unwrap();
        book.assert_holds(&many.iter().collect::<Vec<_>>()).await;
        assert_eq!(book.count().await.changes, 1, "the counter changes once");
        book.insert_many(&[]).await.unwrap();

        let taken = Contact { phone: many[7].phone.clone(), ..contact(301) };
        let refused = book.insert_many(&[contact(300), taken]).await.unwrap_err();
        assert!(matches!(refused, Error::TryAgain(_)), "{refused:?}");
        book.assert_holds(&many.iter().collect::<Vec<_>>()).await;
        assert_eq!(book.holders(&known_by(&contact(300))[..1]).await, []);
    }

    async fn number_and_bsuid_are_taken_once_and_handles_are_not((book, _test) = Book::on) {
        let first = contact(1);
        book.insert(&first).await.unwrap();
        let same_number = Contact { phone: first.phone.clone(), ..contact(2) };
        let same_bsuid = Contact { bsuid: first.bsuid.clone(), ..contact(2) };
        for taken in [same_number, same_bsuid] {
            assert!(matches!(book.insert(&taken).await, Err(Error::TryAgain(_))), "{taken:?}");
            book.assert_holds(&[&first]).await;
        }
        let same_handle = Contact { username: first.username.clone(), ..contact(2) };
        book.insert(&same_handle).await.unwrap();
        book.assert_holds(&[&first, &same_handle]).await;
    }

    async fn a_change_replaces_what_it_is_found_by((book, _test) = Book::on) {
        let (before, other) = (contact(1), contact(2));
        book.insert_many(&[before.clone(), other.clone()]).await.unwrap();
        let after = changed(&before);
        let changes = book.count().await.changes;
        book.update(&before, &after).await;
        book.assert_holds(&[&after, &other]).await;
        assert_eq!(book.count().await.changes, changes + 1);
        // The reverse change adds again what the first one removed.
        book.update(&after, &before).await;
        book.assert_holds(&[&before, &other]).await;
    }

    async fn many_are_changed_at_once((book, _test) = Book::on) {
        let many: Vec<Contact> = (0..20).map(contact).collect();
        book.insert_many(&many).await.unwrap();
        let changes: Vec<_> = many.iter().step_by(2).map(|before| (before.clone(), changed(before))).collect();
        let count = book.count().await.changes;
        book.update_many(&changes).await;
        assert_eq!(book.count().await.changes, count + 1);
        book.update_many(&[]).await;
        assert_eq!(book.count().await.changes, count + 1, "nothing changed");
        let kept = many.iter().skip(1).step_by(2);
        book.assert_holds(&changes.iter().map(|(_, after)| after).chain(kept).collect::<Vec<_>>()).await;
    }

    async fn a_removed_contact_can_be_restored((book, _test) = Book::on) {
        let (gone, other) = (contact(1), contact(2));
        book.insert_many(&[gone.clone(), other.clone()]).await.unwrap();
        book.remove(&gone).await;
        book.assert_holds(&[&other]).await;
        assert_eq!((book.for_update(gone.id).await, book.show(gone.id).await), (None, None));
        assert_eq!(book.identities(gone.id).await.len(), 3, "identities are the caller's to move");
        book.restore(&gone).await;
        book.assert_holds(&[&gone, &other]).await;
    }

    async fn an_erased_contact_is_neither_found_nor_known((book, _test) = Book::on) {
        let (gone, other) = (contact(1), contact(2));
        book.insert_many(&[gone.clone(), other.clone()]).await.unwrap();
        book.erase(&gone, START.plus_seconds(99)).await;
        book.assert_holds(&[&other]).await;
        assert_eq!(book.identities(gone.id).await, []);
        assert_eq!(book.known_by(IdentityKind::Phone, "14155550001").await, None);
        assert_eq!(book.by_username("person1").await, None);
        let again = Contact { id: contact(3).id, ..gone };
        book.insert(&again).await.unwrap();
        book.assert_holds(&[&again, &other]).await;
    }

    async fn any_series_of_writes_leaves_what_belongs_together(test) {
        let (book, mut rng) = (Book::new(&test), random(3));
        let (mut live, mut away) = (vec![], vec![]);
        for number in 0..60 {
            let place = rng.random_range(0..live.len().max(1));
            match rng.random_range(0..7) {
                _ if live.is_empty() => { live.push(contact(number)); book.insert(&live[0]).await.unwrap(); }
                0 => { live.push(contact(number)); book.insert(&live[live.len() - 1]).await.unwrap(); }
                1 => {
                    let new: Vec<Contact> = (0..5).map(|n| contact(1000 + number * 10 + n)).collect();
                    book.insert_many(&new).await.unwrap();
                    live.extend(new);
                }
                2 | 3 => {
                    let after = changed_at_random(&mut rng, &live[place]);
                    book.update(&live[place], &after).await;
                    live[place] = after;
                }
                4 => {
                    let gone: Contact = live.swap_remove(place);
                    book.remove(&gone).await;
                    away.push(gone);
                }
                5 => if let Some(back) = away.pop() { book.restore(&back).await; live.push(back); },
                _ => book.erase(&live.swap_remove(place), START).await,
            }
            book.assert_holds(&live.iter().collect::<Vec<_>>()).await;
        }
    }
}
