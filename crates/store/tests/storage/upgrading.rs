//! Upgrades of databases of earlier versions.

use domain::contacts::identity::{Identity, IdentityKind};
use domain::contacts::{Consent, Contact, CustomParam};
use domain::{Clock, Id, TenantId, Timestamp};
use store::contacts::Window;
use store::migrations::{MIGRATIONS, Migration, migrate};
use store::{Db, Engine, Error, Statement, params};
use testkit::fresh::FreshDatabase;

use crate::contacts::Book;
use crate::fixtures::{START, on_both, run};
use crate::schema::Schema;

/// The last migration before contacts had identities.
const BEFORE_IDENTITIES: &str = "0025_contacts_created";
const LEDGER: &str = "CREATE TABLE schema_migrations (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (tenant_id, name))";
static OLD_CONTACT: Statement = Statement::new(
    "test.old_contact",
    "INSERT INTO contacts (tenant_id, id, bsuid, parent_bsuid, username, phone, name, source, custom_params, opted_in,
         allow_broadcast, allow_sms, created_at, updated_at, deleted_at)
     VALUES ($1, $2, $3, $4, NULL, $5, $6, 'API', $7, $8, true, false, $9, $10, $11)",
);

const TENANTS: [TenantId; 2] = [TenantId::from_number(100_001), TenantId::from_number(100_002)];

/// The migrations of the earlier version, and the later ones.
fn steps() -> (&'static [Migration], &'static [Migration]) {
    let last = MIGRATIONS.iter().position(|step| step.name == BEFORE_IDENTITIES).unwrap();
    MIGRATIONS.split_at(last + 1)
}

async fn apply(db: &Db, step: &Migration) {
    run(db, step.sql).await;
}

async fn note(db: &Db, step: &Migration) {
    run(db, &format!("INSERT INTO schema_migrations (tenant_id, name, applied_at) VALUES (0, '{}', 1)", step.name))
        .await;
}

/// Applies the first steps to an empty database.
pub async fn apply_first(db: &Db, steps: &[Migration]) {
    run(db, LEDGER).await;
    for step in steps {
        apply(db, step).await;
        note(db, step).await;
    }
}

/// The contact as it must be after the upgrade.
fn contact(number: u32) -> Contact {
    let at = START.plus_seconds(i64::from(number));
    Contact {
        id: Id::seeded(at, 1),
        bsuid: format!("US.{number}"),
        parent_bsuid: format!("US.ENT.{number}"),
        username: None,
        phone: (!number.is_multiple_of(2)).then(|| format!("1415555{number:04}")),
        name: format!("Name {number}"),
        source: "API".to_owned(),
        custom_params: vec![CustomParam { name: "city".to_owned(), value: "Bern".to_owned() }],
        teams: vec![],
        segments: vec![],
        labels: vec![],
        consent: Consent { opted_in: number.is_multiple_of(3), source: None, at: None },
        allow_broadcast: true,
        allow_sms: false,
        blocked_at: None,
        created_at: at,
        updated_at: at.plus_seconds(5),
    }
}

async fn store_old(db: &Db, tenant: TenantId, contact: Contact, deleted_at: Option<Timestamp>) {
    let input = (tenant, contact, deleted_at);
    let stored = db.write(input, |tx, (tenant, c, deleted_at)| {
        Box::pin(async move {
            let (opted_in, made, changed, texts) = (c.consent.opted_in, c.created_at, c.updated_at, c.texts());
            let shown = params![*tenant, c.id, &c.bsuid, &c.parent_bsuid, &c.phone, &c.name, &texts.custom_params];
            let row = [shown.as_slice(), params![opted_in, made, changed, *deleted_at]].concat();
            tx.execute(&OLD_CONTACT, &row).await
        })
    });
    assert_eq!(stored.await.unwrap(), 1);
}

/// Stores three contacts of one tenant, the last of them deleted, and one of another.
async fn store_old_contacts(db: &Db) {
    for number in 1..=2 {
        store_old(db, TENANTS[0], contact(number), None).await;
    }
    store_old(db, TENANTS[0], contact(3), Some(START)).await;
    store_old(db, TENANTS[1], contact(1), None).await;
}

/// A database of the earlier version, with contacts.
async fn old_database(engine: Engine) -> (FreshDatabase, Db) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    apply_first(&db, steps().0).await;
    store_old_contacts(&db).await;
    (fresh, db)
}

async fn assert_moved(db: &Db) {
    let [ours, theirs] = TENANTS.map(|tenant| Book { db: db.clone(), tenant });
    ours.assert_holds(&[&contact(1), &contact(2)]).await;
    theirs.assert_holds(&[&contact(1)]).await;
    assert_eq!(ours.page(Window::default(), 10, 0).await, [contact(2).id, contact(1).id]);
    for number in 1..=2 {
        let contact = contact(number);
        let seen = |kind, value: &String| Identity::seen(kind, value, contact.created_at);
        let phone = contact.phone.iter().map(|phone| seen(IdentityKind::Phone, phone));
        let expected: Vec<Identity> = [seen(IdentityKind::Bsuid, &contact.bsuid)].into_iter().chain(phone).collect();
        assert_eq!(ours.identities(contact.id).await, expected);
    }
    assert_eq!(ours.identities(contact(3).id).await, [], "a deleted contact is known by nothing");
    assert_eq!(ours.known_by(IdentityKind::Phone, "14155550003").await, None);
    // The number of the deleted contact is free, and the others behave like new ones.
    ours.insert(&contact(3)).await.unwrap();
    ours.erase(&contact(1), START).await;
    ours.assert_holds(&[&contact(2), &contact(3)]).await;
}

async fn old_contacts_get_identities_counters_and_an_index(engine: Engine) {
    let (fresh, db) = old_database(engine).await;
    let applied = migrate(&db, &Clock::system()).await.unwrap();
    assert!(applied.iter().eq(steps().1.iter().map(|step| &step.name)), "{applied:?}");
    assert_moved(&db).await;
    drop(db);
    fresh.remove().await;
}

async fn an_old_database_ends_in_the_schema_of_a_new_one(engine: Engine) {
    let (old, db) = old_database(engine).await;
    migrate(&db, &Clock::system()).await.unwrap();
    let new = FreshDatabase::on(engine).await;
    migrate(&new.open(), &Clock::system()).await.unwrap();
    assert_eq!(Schema::read(&old.location).await.text(), Schema::read(&new.location).await.text());
    drop(db);
    old.remove().await;
    new.remove().await;
}

on_both! {
    old_contacts_get_identities_counters_and_an_index
    an_old_database_ends_in_the_schema_of_a_new_one
}

/// Each migration runs, is interrupted before it is recorded, and runs again.
#[tokio::test]
async fn on_postgres_every_step_may_be_done_twice() {
    let (fresh, db) = old_database(Engine::Postgres).await;
    for step in steps().1 {
        apply(&db, step).await;
        apply(&db, step).await;
        note(&db, step).await;
    }
    assert!(migrate(&db, &Clock::system()).await.unwrap().is_empty());
    assert_moved(&db).await;
    drop(db);
    fresh.remove().await;
}

/// On SQLite all migrations run in one transaction.
#[tokio::test]
async fn on_sqlite_a_start_that_fails_leaves_the_old_database() {
    let (fresh, db) = old_database(Engine::Sqlite).await;
    let before = Schema::read(&fresh.location).await.text();
    run(&db, "CREATE VIEW segments AS SELECT 1").await;
    let failed = migrate(&db, &Clock::system()).await.unwrap_err();
    assert!(matches!(&failed, Error::Migration(said) if said.starts_with("0046_segments_key")), "{failed:?}");
    run(&db, "DROP VIEW segments").await;
    assert_eq!(Schema::read(&fresh.location).await.text(), before);
    migrate(&db, &Clock::system()).await.unwrap();
    assert_moved(&db).await;
    drop(db);
    fresh.remove().await;
}
