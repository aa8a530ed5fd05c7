//! The runner of migrations, with steps of the tests after the baseline.

use std::time::Duration;

use domain::{Clock, Timestamp};
use store::migrations::{BASELINE, MIGRATIONS, Migration, apply};
use store::{Db, Engine, Error, Location, Statement, migrate, read};
use testkit::fresh::FreshDatabase;

use crate::fixtures::{on_both, run};
use crate::schema::{migrated, schema, table_names};

/// Later steps: a table with a row that must not be there twice, and a column.
const LATER: [Migration; 3] = [
    Migration {
        name: "9001_ships",
        sql: "CREATE TABLE IF NOT EXISTS ships (tenant_id BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (tenant_id, name))",
    },
    Migration {
        name: "9002_first_ship",
        sql: "INSERT INTO ships (tenant_id, name) VALUES (1, 'Argo') ON CONFLICT DO NOTHING",
    },
    Migration {
        name: "9003_ships_masts",
        sql: "ALTER TABLE ships ADD COLUMN {postgres IF NOT EXISTS} masts BIGINT NOT NULL DEFAULT 1",
    },
];
const FAILING: Migration = Migration { name: "9002_wrong", sql: "INSERT INTO nowhere VALUES (1)" };

fn steps() -> Vec<Migration> {
    [MIGRATIONS, &LATER].concat()
}

fn names(steps: &[Migration]) -> Vec<&'static str> {
    steps.iter().map(|step| step.name).collect()
}

async fn texts(db: &Db, sql: &str) -> Vec<String> {
    db.rows(&Statement::composed("test", sql.to_owned()), &[], read).await.unwrap()
}

async fn ships(db: &Db) -> Vec<String> {
    texts(db, "SELECT concat(name, ' ', masts) FROM ships").await
}

async fn a_new_database_gets_every_step_once(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    let clock = Clock::system();
    assert_eq!(apply(&db, &clock, &steps()).await.unwrap(), names(&steps()));
    let before = schema(&db).await;
    assert!(apply(&db, &clock, &steps()).await.unwrap().is_empty());
    assert!(apply(&fresh.open(), &clock, &steps()).await.unwrap().is_empty());
    assert_eq!((schema(&db).await, ships(&db).await), (before, vec!["Argo 1".to_owned()]));
    let recorded = texts(&db, "SELECT concat(name, ' ', version) FROM schema_migrations ORDER BY name").await;
    let this = env!("CARGO_PKG_VERSION");
    assert_eq!(recorded, names(&steps()).iter().map(|name| format!("{name} {this}")).collect::<Vec<_>>());
    drop(db);
    fresh.remove().await;
}

async fn a_database_of_an_earlier_version_gets_the_missing_steps(engine: Engine) {
    let (fresh, db) = migrated(engine).await;
    assert_eq!(apply(&db, &Clock::system(), &steps()).await.unwrap(), names(&LATER));
    assert_eq!(ships(&db).await, ["Argo 1"]);
    drop(db);
    fresh.remove().await;
}

/// As after a start that was interrupted before it recorded its last step.
async fn a_start_that_was_cut_short_is_taken_up_again(engine: Engine) {
    // SQLite cannot repeat a new column, and need not: there a step and its record are one transaction.
    let is_repeatable = |step: &Migration| engine != Engine::Sqlite || !step.sql.contains("ADD COLUMN");
    let steps: Vec<Migration> = steps().into_iter().filter(is_repeatable).collect();
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    apply(&db, &Clock::system(), &steps).await.unwrap();
    let before = schema(&db).await;
    run(&db, "DELETE FROM schema_migrations").await;
    assert_eq!(apply(&db, &Clock::system(), &steps).await.unwrap(), names(&steps));
    assert_eq!((schema(&db).await, texts(&db, "SELECT name FROM ships").await), (before, vec!["Argo".to_owned()]));
    drop(db);
    fresh.remove().await;
}

/// SQLite undoes all steps of a start that fails, PostgreSQL the one that failed.
async fn a_step_that_fails_is_named_and_the_next_start_goes_on(engine: Engine) {
    let (fresh, db) = migrated(engine).await;
    let before = table_names(&db).await;
    let failed = apply(&db, &Clock::system(), &[MIGRATIONS, &[LATER[0], FAILING]].concat()).await.unwrap_err();
    assert!(matches!(&failed, Error::Migration(said) if said.starts_with("9002_wrong: ")), "{failed:?}");
    let left = if engine == Engine::Sqlite { &LATER[..] } else { &LATER[1..] };
    assert_eq!(table_names(&db).await == before, engine == Engine::Sqlite);
    // Does not wait for a guard that the failed start left.
    assert_eq!(apply(&db, &Clock::system(), &steps()).await.unwrap(), names(left));
    drop(db);
    fresh.remove().await;
}

async fn a_schema_that_fails_leaves_nothing_and_is_created_later(engine: Engine) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    run(&db, "CREATE VIEW segments AS SELECT 1 AS one").await;
    let failed = migrate(&db, &Clock::system()).await.unwrap_err();
    assert!(matches!(&failed, Error::Migration(said) if said.starts_with(BASELINE)), "{failed:?}");
    assert_eq!(table_names(&db).await, Vec::<String>::new());
    run(&db, "DROP VIEW segments").await;
    assert_eq!(migrate(&db, &Clock::system()).await.unwrap(), names(MIGRATIONS));
    drop(db);
    fresh.remove().await;
}

/// The refusal of a database, which it leaves as it was.
async fn refusal(db: &Db) -> Error {
    let (tables, rows) = (table_names(db).await, "SELECT name FROM schema_migrations ORDER BY name");
    let before = texts(db, rows).await;
    let refused = migrate(db, &Clock::system()).await.unwrap_err();
    assert_eq!((table_names(db).await, texts(db, rows).await), (tables, before));
    refused
}

async fn a_database_from_before_the_baseline_is_refused_and_not_changed(engine: Engine) {
    // The earliest ones did not record versions.
    for version in ["", ", version TEXT"] {
        let fresh = FreshDatabase::on(engine).await;
        let db = fresh.open();
        run(&db, "CREATE TABLE installation (tenant_id BIGINT NOT NULL, name TEXT NOT NULL)").await;
        let record = "tenant_id BIGINT NOT NULL, name TEXT NOT NULL, applied_at BIGINT NOT NULL";
        run(&db, &format!("CREATE TABLE schema_migrations ({record}{version}, PRIMARY KEY (tenant_id, name))")).await;
        for name in ["0001_installation", "0240_schema_migrations_version"] {
            run(&db, &format!("INSERT INTO schema_migrations (tenant_id, name, applied_at) VALUES (0, '{name}', 1)"))
                .await;
        }
        let refused = refusal(&db).await;
        assert!(matches!(refused, Error::BeforeBaseline), "{refused:?}");
        assert!(refused.to_string().contains("use an empty data folder or an empty PostgreSQL database"), "{refused}");
        assert_eq!(table_names(&db).await, ["installation", "schema_migrations"]);
        drop(db);
        fresh.remove().await;
    }
}

async fn a_database_of_a_newer_version_is_refused(engine: Engine) {
    let (fresh, db) = migrated(engine).await;
    let this = env!("CARGO_PKG_VERSION");
    for (name, version) in [("9998_of_the_future", "7.1.0"), ("9999_of_the_future", "7.2.0")] {
        let newer = "INSERT INTO schema_migrations (tenant_id, name, applied_at, version) VALUES";
        run(&db, &format!("{newer} (0, '{name}', 1, '{version}')")).await;
    }
    let expected = format!(
        "this database was written by version 7.2.0; this is version {this}: install version 7.2.0 or newer, \
         or restore a backup (unknown migration: 9999_of_the_future)"
    );
    assert_eq!(refusal(&db).await.to_string(), expected);
    let backup = store::platform::backup::backup(&db, &Clock::system(), std::io::sink(), None, |_| {}).await;
    assert_eq!(backup.unwrap_err().to_string(), expected);

    run(&db, "UPDATE schema_migrations SET version = NULL").await;
    let expected = format!(
        "this database was written by a newer version; this is version {this}: install the newer version, \
         or restore a backup (unknown migration: 9999_of_the_future)"
    );
    assert_eq!(refusal(&db).await.to_string(), expected);
    drop(db);
    fresh.remove().await;
}

on_both! {
    a_new_database_gets_every_step_once
    a_database_of_an_earlier_version_gets_the_missing_steps
    a_start_that_was_cut_short_is_taken_up_again
    a_step_that_fails_is_named_and_the_next_start_goes_on
    a_schema_that_fails_leaves_nothing_and_is_created_later
    a_database_from_before_the_baseline_is_refused_and_not_changed
    a_database_of_a_newer_version_is_refused
}

/// Concurrent starts all succeed and together apply each step once: those of a new database, then later ones.
async fn starters(engine: Engine) {
    for how_many in [2, 8] {
        let fresh = FreshDatabase::on(engine).await;
        for (steps, expected) in [(MIGRATIONS.to_vec(), MIGRATIONS), (steps(), &LATER[..])] {
            let start = |location: Location, steps: Vec<Migration>| async move {
                apply(&Db::open(&location)?, &Clock::system(), &steps).await
            };
            let tasks: Vec<_> =
                (0..how_many).map(|_| tokio::spawn(start(fresh.location.clone(), steps.clone()))).collect();
            let mut applied = vec![];
            for task in tasks {
                applied.extend(task.await.unwrap().unwrap());
            }
            assert_eq!(applied, names(expected));
        }
        fresh.remove().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn starters_at_once_all_succeed_on_sqlite() {
    starters(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn starters_at_once_all_succeed_on_postgres() {
    starters(Engine::Postgres).await;
}

/// The first start is cut off after different times, with its connection.
#[tokio::test]
async fn a_start_that_is_cut_off_on_postgres_leaves_all_or_nothing() {
    let (other, complete) = migrated(Engine::Postgres).await;
    let complete = table_names(&complete).await;
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let watching = fresh.open();
    for milliseconds in [1, 3, 5, 10, 20, 30, 40, 60, 80, 120] {
        let db = fresh.open();
        let _ = tokio::time::timeout(Duration::from_millis(milliseconds), migrate(&db, &Clock::system())).await;
        drop(db);
        let there = table_names(&watching).await;
        assert!(there.is_empty() || there == complete, "{there:?} after {milliseconds} ms");
    }
    migrate(&watching, &Clock::system()).await.unwrap();
    assert_eq!(table_names(&watching).await, complete);
    assert!(migrate(&watching, &Clock::system()).await.unwrap().is_empty());
    drop(watching);
    fresh.remove().await;
    other.remove().await;
}

/// Another process holds the guard, and dies: the start goes on when the lease is over, and not before.
#[tokio::test]
async fn a_start_waits_for_the_lease_of_another_on_postgres() {
    let (fresh, db) = migrated(Engine::Postgres).await;
    let now = Timestamp::from_seconds(1_776_000_000);
    let until = now.plus_seconds(60).micros();
    run(&db, &format!("UPDATE migration_guard SET holder = 'other', expires_at = {until}")).await;
    let clock = Clock::manual(now);
    let waiting = tokio::time::timeout(Duration::from_millis(200), apply(&db, &clock, &steps())).await;
    assert!(waiting.is_err(), "{waiting:?}");
    clock.advance(Duration::from_secs(61));
    assert_eq!(apply(&db, &clock, &steps()).await.unwrap(), names(&LATER));
    drop(db);
    fresh.remove().await;
}

/// Each notes the whole message in which PostgreSQL got it.
const NOTING: Migration = Migration {
    name: "9004_messages",
    sql: "CREATE TABLE IF NOT EXISTS messages_seen (tenant_id BIGINT NOT NULL, text TEXT NOT NULL);
-- A comment; with a semicolon.
INSERT INTO messages_seen (tenant_id, text) VALUES (1, current_query());
INSERT INTO messages_seen (tenant_id, text) VALUES (2, current_query());",
};

/// A database that is distributed by tenant refuses several commands in one message.
#[tokio::test]
async fn the_commands_of_a_step_are_sent_one_by_one_on_postgres() {
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let db = fresh.open();
    let first = [MIGRATIONS, &[NOTING]].concat();
    let both = [first.as_slice(), &[Migration { name: "9005_again", ..NOTING }]].concat();
    for steps in [first, both] {
        // The first time with a new schema, in its transaction; then as a later step, in one of its own.
        apply(&db, &Clock::system(), &steps).await.unwrap();
        let messages = texts(&db, "SELECT text FROM messages_seen ORDER BY tenant_id").await;
        assert_eq!(messages.len(), 2);
        for message in &messages {
            assert!(message.contains("INSERT INTO messages_seen") && !message.contains("CREATE TABLE"), "{message}");
            assert_eq!(message.matches("INSERT").count(), 1, "{message}");
        }
        run(&db, "DELETE FROM messages_seen").await;
    }
    drop(db);
    fresh.remove().await;
}
