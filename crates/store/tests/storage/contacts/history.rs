//! Merges and consents.

use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{ConsentChange, Merge};
use domain::{ContactId, Id, TenantId};
use store::{Statement, params};

use super::book::{Book, contact};
use crate::fixtures::START;

fn merge(number: u64, kept_id: ContactId, merged_id: ContactId) -> Merge {
    Merge {
        id: Id::seeded(START, number),
        kept_id,
        merged_id,
        before: r#"{"kept":"Ада"}"#.to_owned(),
        reason: "same number".to_owned(),
        merged_at: START.plus_seconds(1),
        undone_at: None,
    }
}

fn change(seconds: i64, change: &str) -> ConsentChange {
    ConsentChange { at: START.plus_seconds(seconds), change: change.to_owned(), source: "API".to_owned() }
}

async fn tombstones(book: &Book) -> Vec<(ContactId, String, i64)> {
    static DELETED: Statement =
        Statement::new("test.deleted", "SELECT id, bsuid, deleted_at FROM deleted_contacts WHERE tenant_id = $1");
    let tenant: TenantId = book.tenant;
    book.db.rows(&DELETED, params![tenant], store::read).await.unwrap()
}

testkit::both_databases! {
    async fn merges_are_kept_oldest_first_until_undone((book, _test) = Book::on) {
        let [a, b, c] = [1, 2, 3].map(|number| contact(number).id);
        let (first, second) = (merge(1, a, b), merge(2, c, a));
        book.insert_merge(&second).await;
        book.insert_merge(&first).await;
        assert_eq!(book.merge(first.id).await.as_ref(), Some(&first));
        assert_eq!(book.merges(a).await, [first.clone(), second.clone()]);
        assert_eq!(book.merges(b).await.as_slice(), std::slice::from_ref(&first));
        assert!(!book.kept_apart(a, b).await);
        let at = START.plus_seconds(60);
        book.set_undone(first.id, at).await;
        // The copies of the contact that the merge had stored are erased.
        assert_eq!(book.merges(b).await, [Merge { undone_at: Some(at), before: String::new(), ..first }]);
        assert!(book.kept_apart(a, b).await && book.kept_apart(b, a).await);
        assert!(!book.kept_apart(a, c).await && !book.kept_apart(b, c).await);
        assert_eq!(book.merge(second.id).await, Some(second));
    }

    async fn consents_are_kept_in_their_order((book, _test) = Book::on) {
        let [one, other] = [1, 2].map(|number| contact(number).id);
        let changes = [change(1, "opt_in"), change(2, "opt_out"), change(3, "block")];
        for change in &changes {
            book.add_consent(one, change).await;
        }
        assert_eq!(book.consents(one).await, changes);
        assert_eq!(book.consents(other).await, []);
    }

    async fn erasing_takes_the_history_of_all_that_the_contact_was((book, _test) = Book::on) {
        let (kept, merged, other) = (contact(1), contact(2), contact(3));
        book.insert_many(&[kept.clone(), other.clone()]).await.unwrap();
        let former = Identity::seen(IdentityKind::Id, &merged.id.to_string(), START);
        book.save_identity(kept.id, &former).await.unwrap();
        for id in [kept.id, merged.id, other.id] {
            book.add_consent(id, &change(1, "opt_in")).await;
        }
        let stranger = Id::seeded(START, 55);
        for (number, kept, merged) in [(1, kept.id, merged.id), (2, merged.id, stranger), (3, other.id, stranger)] {
            book.insert_merge(&merge(number, kept, merged)).await;
        }
        book.erase(&kept, START.plus_seconds(9)).await;
        for id in [kept.id, merged.id] {
            assert!(book.consents(id).await.is_empty() && book.merges(id).await.is_empty(), "{id}");
        }
        assert_eq!((book.consents(other.id).await.len(), book.merges(other.id).await.len()), (1, 1));
        assert_eq!(tombstones(&book).await, [(kept.id, kept.bsuid.clone(), START.plus_seconds(9).micros())]);
        assert_eq!(book.show(merged.id).await, None);
        book.assert_holds(&[&other]).await;
    }
}
