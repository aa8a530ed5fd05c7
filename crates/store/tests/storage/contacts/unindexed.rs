//! Contacts that an import inserts without their terms. Only SQLite has them.

use domain::people::consent_values::ConsentColumn;
use domain::people::contacts::identity::Identity;
use domain::people::contacts::{Contact, Term};
use domain::people::imports::{Import, ImportCounts, ImportStatus};
use domain::{ContactId, Id, ImportId};
use store::people::contacts;
use store::{Engine, Statement, params, read};

use super::book::{Book, contact, known_by, within};
use crate::fixtures::START;

static NOTES: Statement = Statement::new("test.notes", "SELECT COUNT(*) FROM import_indexed WHERE tenant_id = $1");

/// Inserts an import that this holder has claimed.
async fn begun(book: &Book, holder: &str) -> ImportId {
    let import = &Import {
        id: Id::new(START),
        status: ImportStatus::Local,
        format: "csv".to_owned(),
        dry_run: false,
        fingerprint: holder.to_owned(),
        bytes_total: 1,
        bytes_done: 0,
        counts: ImportCounts::default(),
        consent: ConsentColumn::default(),
        header: None,
        error: None,
        actor: "ada".to_owned(),
        holder: Some(holder.to_owned()),
        leased_until: START,
        started_at: START,
        finished_at: None,
    };
    within!(book, (import), |tx, tenant| store::people::imports::insert(tx, tenant, import)).unwrap();
    import.id
}

async fn insert_unindexed(book: &Book, import: ImportId, new: &[Contact]) {
    let own: &[Vec<Identity>] = &new.iter().map(known_by).collect::<Vec<_>>();
    within!(book, (import, new, own), |tx, tenant| {
        let pairs: Vec<(&Contact, &[Identity])> = new.iter().zip(own.iter().map(Vec::as_slice)).collect();
        async move { contacts::insert_unindexed(tx, tenant, *import, &pairs).await }
    })
    .unwrap();
}

async fn add_terms(book: &Book, import: ImportId, rows: &[(Term, ContactId)]) {
    within!(book, (import, rows), |tx, tenant| contacts::add_terms(tx, tenant, *import, rows)).unwrap();
}

async fn clear(book: &Book, import: ImportId, holder: &str) -> bool {
    within!(book, (import, holder), |tx, tenant| contacts::clear_unindexed(tx, tenant, *import, holder)).unwrap()
}

async fn unindexed_from(book: &Book) -> Option<ContactId> {
    contacts::unindexed_from(&book.db, book.tenant).await.unwrap()
}

fn renamed(contact: &Contact, name: &str) -> Contact {
    Contact { name: name.to_owned(), custom_params: vec![], ..contact.clone() }
}

#[tokio::test]
async fn terms_fit_contacts_that_change_while_they_are_written() {
    let (book, _test) = Book::on(Engine::Sqlite).await;
    let import = begun(&book, "one").await;
    let all: Vec<Contact> = (1..=5).map(contact).collect();
    insert_unindexed(&book, import, &all[1..]).await;
    // The mark moves to the smallest id.
    insert_unindexed(&book, import, &all[..1]).await;
    assert_eq!(unindexed_from(&book).await, Some(all[0].id));
    assert!(book.terms().await.is_empty());

    // The import has read the contacts; then they change before, between and after its transactions.
    let found = contacts::index_of(&all);
    let (first, rest) = found.split_at(found.len() / 2);
    let early = renamed(&all[0], "Early");
    book.update(&all[0], &early).await;
    add_terms(&book, import, first).await;
    let (changed, late) = (renamed(&all[1], "Changed"), renamed(&all[1], "Changed again"));
    book.update_many(&[(all[1].clone(), changed.clone())]).await;
    book.remove(&all[2]).await;
    book.remove(&all[3]).await;
    book.restore(&all[3]).await;
    add_terms(&book, import, rest).await;
    book.update(&changed, &late).await;
    book.assert_holds(&[&early, &late, &all[3], &all[4]]).await;

    // After a crash, all of it is read and written again.
    let found = contacts::index_of([&early, &late, &all[3], &all[4]]);
    add_terms(&book, import, &found).await;
    book.assert_holds(&[&early, &late, &all[3], &all[4]]).await;
}

#[tokio::test]
async fn only_the_holder_of_an_import_removes_its_mark() {
    let (book, _test) = Book::on(Engine::Sqlite).await;
    let import = begun(&book, "one").await;
    let all = [contact(1), contact(2)];
    insert_unindexed(&book, import, &all).await;
    let changed = renamed(&all[0], "Changed");
    book.update(&all[0], &changed).await;
    assert!(!clear(&book, import, "another").await);
    assert_eq!(unindexed_from(&book).await, Some(all[0].id));
    assert!(clear(&book, import, "one").await);
    assert_eq!(unindexed_from(&book).await, None);
    assert_eq!(contacts::unindexed_of(&book.db, book.tenant, import).await.unwrap(), None);
    assert_eq!(book.db.row(&NOTES, params![book.tenant], read::<i64>).await.unwrap(), Some(0));
}

#[tokio::test]
async fn contacts_of_two_imports_are_indexed_by_either() {
    let (book, _test) = Book::on(Engine::Sqlite).await;
    let (one, other) = (begun(&book, "one").await, begun(&book, "other").await);
    let all: Vec<Contact> = (1..=4).map(contact).collect();
    insert_unindexed(&book, one, &all[..2]).await;
    insert_unindexed(&book, other, &all[2..]).await;
    let found = contacts::index_of(&all);
    let changed = renamed(&all[3], "Changed");
    book.update(&all[3], &changed).await;
    // The first import reads the contacts of the other one as well.
    add_terms(&book, one, &found).await;
    assert!(clear(&book, one, "one").await);
    assert_eq!(unindexed_from(&book).await, Some(all[2].id));
    let again = renamed(&all[3], "Changed again");
    book.update(&changed, &again).await;
    add_terms(&book, other, &contacts::index_of(&all[2..])).await;
    assert!(clear(&book, other, "other").await);
    book.assert_holds(&[&all[0], &all[1], &all[2], &again]).await;
}
