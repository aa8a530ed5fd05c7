//! A rebuilt index equals the one that writes maintain.

use std::sync::Arc;
use std::time::Duration;

use domain::people::contacts::Contact;
use domain::{Clock, TenantId};
use store::people::contacts;
use store::{Db, Engine, Result, Statement, Tx};
use testkit::fresh::FreshDatabase;
use tokio::sync::Notify;

use super::book::{Book, contact, terms_of};
use crate::fixtures::{on_both, run};

/// Contacts of the largest tenant.
const MANY: u32 = 2100;

async fn fresh(engine: Engine) -> (FreshDatabase, [Book; 3]) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    store::migrate(&db, &Clock::system()).await.unwrap();
    (fresh, [100_001, 100_002, 100_003].map(|tenant| Book { db: db.clone(), tenant: TenantId::from_number(tenant) }))
}

/// A contact with few terms, so that many are quick to write.
fn plain(number: u32) -> Contact {
    Contact { phone: None, username: None, custom_params: vec![], name: format!("{number:04}"), ..contact(number) }
}

/// Rebuilds the index and returns the last reported progress.
async fn rebuild(db: &Db) -> u64 {
    let mut reported = 0;
    contacts::rebuild(db, &mut |done| reported = done).await.unwrap();
    reported
}

async fn set_version(db: &Db, version: i64) {
    run(db, &format!("UPDATE epochs SET value = {version} WHERE name = 'contact_terms'")).await;
}

/// Builds what is missing of the index: all terms, as after a restore, and some terms, as after an interrupted start.
async fn what_is_missing_is_built(engine: Engine) {
    let (fresh, books) = fresh(engine).await;
    let db = books[0].db.clone();
    let of_each: [Vec<Contact>; 3] = [vec![contact(1)], (0..MANY).map(plain).collect(), (0..3).map(contact).collect()];
    for (book, contacts) in books.iter().zip(&of_each) {
        book.insert_many(contacts).await.unwrap();
    }
    for lost in ["DELETE FROM contact_terms", "DELETE FROM contact_terms WHERE term > 0"] {
        run(&db, lost).await;
        set_version(&db, 0).await;
        assert_eq!(rebuild(&db).await, u64::from(MANY) + 4);
        for (book, contacts) in books.iter().zip(&of_each) {
            assert!(book.terms().await == terms_of(&contacts.iter().collect::<Vec<_>>()), "{lost}: {:?}", book.tenant);
        }
    }
    drop((db, books));
    fresh.remove().await;
}

async fn terms_of_another_version_are_replaced(engine: Engine) {
    let (fresh, [book, ..]) = fresh(engine).await;
    let all = [contact(1), contact(2)];
    book.insert_many(&all).await.unwrap();
    run(&book.db, "UPDATE contact_terms SET term = 7 - term WHERE term > 0").await;
    set_version(&book.db, 99).await;
    rebuild(&book.db).await;
    book.assert_holds(&[&all[0], &all[1]]).await;
    drop(book);
    fresh.remove().await;
}

async fn an_index_of_this_version_is_left_as_it_is(engine: Engine) {
    let (fresh, [book, ..]) = fresh(engine).await;
    book.insert(&contact(1)).await.unwrap();
    run(&book.db, "DELETE FROM contact_terms").await;
    assert_eq!(rebuild(&book.db).await, 0);
    assert!(book.terms().await.is_empty());
    drop(book);
    fresh.remove().await;
}

on_both! {
    what_is_missing_is_built
    terms_of_another_version_are_replaced
    an_index_of_this_version_is_left_as_it_is
}

struct Slow {
    tenant: TenantId,
    before: Contact,
    after: Contact,
    written: Arc<Notify>,
    watcher: Db,
}

/// Changes a contact in a transaction that commits only after another transaction waits for its lock.
async fn change_slowly(tx: &mut Tx<'_>, slow: &Slow) -> Result<()> {
    static WAITING: Statement = Statement::new(
        "test.waiting",
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    contacts::update(tx, slow.tenant, &slow.before, &slow.after).await?;
    slow.written.notify_one();
    for _ in 0..400 {
        if slow.watcher.row(&WAITING, &[], store::read::<i64>).await? != Some(0) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no transaction waits for the change");
}

#[tokio::test]
async fn on_postgres_a_change_while_the_index_is_built_leaves_nothing_behind() {
    let (fresh, [book, ..]) = fresh(Engine::Postgres).await;
    let before = contact(1);
    let after = Contact { name: "Grace".to_owned(), custom_params: vec![], ..before.clone() };
    book.insert(&before).await.unwrap();
    set_version(&book.db, 0).await;
    let written = Arc::new(Notify::new());
    let slow = Slow {
        tenant: book.tenant,
        before,
        after: after.clone(),
        written: Arc::clone(&written),
        watcher: fresh.open(),
    };
    let db = book.db.clone();
    let change = tokio::spawn(async move { db.write(slow, |tx, slow| Box::pin(change_slowly(tx, slow))).await });
    written.notified().await;
    rebuild(&book.db).await;
    change.await.unwrap().unwrap();
    book.assert_holds(&[&after]).await;
    drop(book);
    fresh.remove().await;
}
