//! A contact of another tenant is out of reach.

use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{ConsentChange, Contact, Merge, terms};
use store::people::contacts::{Count, Window, count_created, rarest_first};

use super::book::{Book, contact, known_by};
use crate::fixtures::START;

const ALL: Window = Window { before: None, from: None };

/// A contact with a former id, a consent and a merge.
async fn with_a_past(book: &Book) -> (Contact, Merge) {
    let (ours, former) = (contact(1), contact(2));
    book.insert(&ours).await.unwrap();
    book.save_identity(ours.id, &Identity::seen(IdentityKind::Id, &former.id.to_string(), START)).await.unwrap();
    let consent = ConsentChange { at: START, change: "opt_in".to_owned(), source: "API".to_owned() };
    book.add_consent(ours.id, &consent).await;
    let (before, reason) = ("{}".to_owned(), "same number".to_owned());
    let merge = Merge {
        id: domain::Id::from_bytes(*former.id.bytes()),
        kept_id: ours.id,
        merged_id: former.id,
        before,
        reason,
        merged_at: START,
        undone_at: None,
    };
    book.insert_merge(&merge).await;
    (ours, merge)
}

testkit::both_databases! {
    async fn no_look_up_finds_it(test) {
        let (book, stranger) = (Book::new(&test), Book::of_another_tenant(&test).await);
        let (ours, merge) = with_a_past(&book).await;
        for id in [ours.id, merge.merged_id] {
            assert_eq!((stranger.show(id).await, stranger.for_update(id).await), (None, None));
        }
        assert!(stranger.show_each(&[ours.id]).await.is_empty());
        for identity in book.identities(ours.id).await {
            assert_eq!(stranger.show_known_by(identity.kind, &identity.value).await, None, "{identity:?}");
            assert_eq!(stranger.known_by(identity.kind, &identity.value).await, None, "{identity:?}");
            assert!(stranger.holders(std::slice::from_ref(&identity)).await.is_empty(), "{identity:?}");
        }
        assert!(stranger.known_by_any(IdentityKind::Phone, &["14155550001"]).await.is_empty());
        assert_eq!(stranger.by_username("person1").await, None);
        assert!(stranger.identities(ours.id).await.is_empty() && stranger.consents(ours.id).await.is_empty());
        assert_eq!((stranger.merge(merge.id).await, stranger.merges(ours.id).await), (None, vec![]));
        book.set_undone(merge.id, START).await;
        assert!(!stranger.kept_apart(merge.kept_id, merge.merged_id).await);
    }

    async fn no_list_or_count_has_it(test) {
        let (book, stranger) = (Book::new(&test), Book::of_another_tenant(&test).await);
        let (ours, _) = with_a_past(&book).await;
        let terms = terms(&ours);
        assert!(stranger.page(ALL, 10, 0).await.is_empty());
        for some in [0, 1, 2, 3, 4, 5].map(|number| &terms[..number]) {
            assert!(stranger.candidates(some, ALL, 10).await.0.is_empty(), "{some:?}");
            assert!(stranger.page_oldest_first(some, ALL, None, 10).await.is_empty(), "{some:?}");
            assert_eq!(stranger.count_exact(some, ALL).await.unwrap_or(0), 0);
        }
        // Terms that no contact has keep the order in which they were given.
        assert_eq!(rarest_first(&stranger.db, stranger.tenant, &terms[..8]).await.unwrap(), terms[..8]);
        assert_eq!(stranger.count().await, Count::default());
        assert_eq!(count_created(&stranger.db, stranger.tenant, ALL, (START, START.plus_seconds(9))).await.unwrap(), 0);
        stranger.assert_holds(&[]).await;
    }

    async fn no_write_touches_it(test) {
        let (book, stranger) = (Book::new(&test), Book::of_another_tenant(&test).await);
        let (ours, merge) = with_a_past(&book).await;
        let known = book.identities(ours.id).await;
        let stolen = Contact { name: "Stolen".to_owned(), segments: vec![], ..ours.clone() };
        stranger.update(&ours, &stolen).await;
        stranger.move_identities(ours.id, None, &known).await;
        stranger.remove(&ours).await;
        stranger.erase(&ours, START).await;
        stranger.set_undone(merge.id, START).await;
        book.assert_holds(&[&ours]).await;
        assert_eq!(book.identities(ours.id).await, known);
        assert_eq!(book.consents(ours.id).await.len(), 1);
        assert_eq!(book.merge(merge.id).await, Some(merge));
    }

    async fn the_same_id_and_numbers_are_free(test) {
        let (book, stranger) = (Book::new(&test), Book::of_another_tenant(&test).await);
        let (ours, _) = with_a_past(&book).await;
        let theirs = Contact { name: "Theirs".to_owned(), ..ours.clone() };
        stranger.insert(&theirs).await.unwrap();
        stranger.assert_holds(&[&theirs]).await;
        book.assert_holds(&[&ours]).await;
        assert_eq!(stranger.known_by(IdentityKind::Phone, "14155550001").await, Some(theirs.clone()));
        stranger.erase(&theirs, START).await;
        book.assert_holds(&[&ours]).await;
        assert_eq!(book.holders(&known_by(&ours)[..1]).await, [ours.id]);
    }
}
