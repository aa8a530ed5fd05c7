//! Identities of contacts.

use domain::people::contacts::Contact;
use domain::people::contacts::identity::{Identity, IdentityKind};
use store::people::contacts;

use super::book::{Book, contact, within};
use crate::fixtures::START;

fn seen(kind: IdentityKind, value: &str, first: i64, last: i64) -> Identity {
    let (first_seen, last_seen) = (START.plus_seconds(first), START.plus_seconds(last));
    Identity { kind, value: value.to_owned(), first_seen, last_seen }
}

/// A contact that has only a BSUID.
fn unknown(number: u32) -> Contact {
    Contact { phone: None, username: None, ..contact(number) }
}

testkit::both_databases! {
    async fn identities_are_added_and_updated((book, _test) = Book::on) {
        let one = unknown(1);
        book.insert(&one).await.unwrap();
        let phones = [seen(IdentityKind::Phone, "14155550001", 5, 5), seen(IdentityKind::Phone, "14155550002", 6, 6)];
        let (id, list) = (one.id, phones.as_slice());
        within!(book, (id, list), |tx, tenant| contacts::save_identities(tx, tenant, *id, list)).unwrap();
        let again = seen(IdentityKind::Phone, "14155550001", 2, 9);
        book.save_identity(one.id, &again).await.unwrap();
        let bsuid = Identity::seen(IdentityKind::Bsuid, "US.1", one.created_at);
        assert_eq!(book.identities(one.id).await, [bsuid, again, phones[1].clone()]);
        assert_eq!(book.known_by(IdentityKind::Phone, "14155550002").await, Some(one));
    }

    async fn a_number_belongs_to_one_contact((book, _test) = Book::on) {
        let (one, other) = (contact(1), unknown(2));
        book.insert_many(&[one.clone(), other.clone()]).await.unwrap();
        let taken = seen(IdentityKind::Phone, "14155550001", 0, 0);
        assert!(book.save_identity(other.id, &taken).await.is_err());
        assert_eq!(book.holders(&[taken]).await, [one.id]);
    }

    async fn identities_move_between_contacts((book, _test) = Book::on) {
        let (from, to) = (contact(1), unknown(2));
        book.insert_many(&[from.clone(), to.clone()]).await.unwrap();
        let all = book.identities(from.id).await;
        book.move_identities(from.id, Some(to.id), &all).await;
        assert_eq!(book.identities(from.id).await, []);
        let moved = book.identities(to.id).await;
        assert!(all.iter().all(|identity| moved.contains(identity)) && moved.len() == all.len() + 1, "{moved:?}");
        assert_eq!(book.known_by(IdentityKind::Bsuid, "US.1").await, Some(to.clone()));
        book.move_identities(to.id, None, &all).await;
        assert_eq!(book.known_by(IdentityKind::Bsuid, "US.1").await, None);
        assert_eq!(book.identities(to.id).await.len(), 1);
    }

    async fn a_handle_belongs_to_the_contact_last_seen_with_it((book, _test) = Book::on) {
        let all = [unknown(1), unknown(2), unknown(3)];
        book.insert_many(&all).await.unwrap();
        for (contact, last) in all.iter().zip([20, 30, 10]) {
            book.save_identity(contact.id, &seen(IdentityKind::Username, "ada", 0, last)).await.unwrap();
        }
        assert_eq!(book.by_username("ada").await, Some(all[1].id));
        assert_eq!(book.by_username("ad").await, None);
        assert_eq!(book.by_username("US.1").await, None, "only handles are looked at");
    }
}
