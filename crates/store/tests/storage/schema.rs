//! The schema: the same on both engines, created once by concurrent starts, with the tenant first in every key.

use std::fmt::Write as _;
use std::sync::Barrier;

use domain::Clock;
use store::migrations::{MIGRATIONS, Migration, migrate};
use store::{Db, Engine, Error, Location};
use testkit::fresh::FreshDatabase;

use crate::fixtures::{on_both, run};

/// Reviewed: indexes that do not begin with the tenant.
const TENANTLESS_INDEXES: &[(&str, &str)] = &[
    ("accounts_log_in", "a log-in names an e-mail address and no tenant"),
    ("broadcast_retries_due", "the worker looks for due retries across tenants"),
    ("channels_account_id", "a request to the sandbox names an account and no tenant"),
    ("channels_id", "a hook names its channel and no tenant"),
    ("channels_phone_number_id", "a request to the sandbox names a number and no tenant"),
    ("conversations_wake", "the worker looks for snoozes that are over across tenants"),
    ("event_logs_moved", "nodes look for changed logs across tenants"),
    ("idempotency_expires", "a sweep across tenants"),
    ("imports_open", "workers look for work across tenants"),
    ("orders_lookup", "workers look for due look-ups across tenants"),
    ("presences_until", "a sweep across tenants"),
    ("sandbox_due_at", "nodes look for due work across tenants"),
    ("sandbox_records_key", "a request to the sandbox names a file or a template and no tenant"),
    ("webhook_deliveries_due_at", "nodes look for due work across tenants"),
    ("webhooks_enabled", "nodes read all active endpoints"),
];
/// This index repeats the primary key of the calls, whose rows SQLite stores in the order of that key.
const INDEX_ONLY_ON_SQLITE: &str = "calls_time";
/// SQLite needs no such table: its write lock keeps two starts apart.
const ONLY_ON_POSTGRES: &str = "migration_guard";

const SQLITE_COLUMNS: &str = "SELECT m.name, c.name, upper(c.type), c.\"notnull\"
    FROM sqlite_master m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid";
const SQLITE_INDEXES: &str = "SELECT m.name, CASE i.origin WHEN 'pk' THEN 'key' ELSE i.name END, i.\"unique\",
        (SELECT group_concat(k.name) FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) k)
    FROM sqlite_master m JOIN pragma_index_list(m.name) i
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2";
const POSTGRES_COLUMNS: &str = "SELECT table_name::text, column_name::text, upper(data_type::text), is_nullable = 'NO'
    FROM information_schema.columns WHERE table_schema = 'public'
    ORDER BY table_name COLLATE \"C\", ordinal_position";
const POSTGRES_INDEXES: &str = "SELECT t.relname::text, CASE WHEN x.indisprimary THEN 'key' ELSE i.relname::text END,
        x.indisunique,
        (SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY k (number, place)
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number)
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = 'public'";

pub async fn postgres_client(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

type Described = (String, String, String, bool);

pub struct Schema {
    /// Table, column, type, and whether it is NOT NULL.
    columns: Vec<Described>,
    /// Table, name of the index (`key` for the primary key), columns, and whether it is unique.
    indexes: Vec<Described>,
}

impl Schema {
    pub async fn read(location: &Location) -> Self {
        let (mut columns, mut indexes) = match location {
            Location::Sqlite { file } => {
                let connection = rusqlite::Connection::open(file).unwrap();
                (sqlite_columns(&connection), sqlite_indexes(&connection))
            }
            Location::Postgres { url, .. } => {
                let client = postgres_client(url).await;
                (postgres_columns(&client).await, postgres_indexes(&client).await)
            }
        };
        columns.retain(|column| column.0 != ONLY_ON_POSTGRES);
        indexes.retain(|index| index.0 != ONLY_ON_POSTGRES && index.1 != INDEX_ONLY_ON_SQLITE);
        columns.sort_by(|a, b| a.0.cmp(&b.0));
        indexes.sort();
        Self { columns, indexes }
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for (table, column, kind, required) in &self.columns {
            let _ = writeln!(text, "{table}.{column} {kind}{}", if *required { " NOT NULL" } else { "" });
        }
        for (table, index, columns, unique) in &self.indexes {
            let _ = writeln!(text, "{table}: {}{index} ({columns})", if *unique { "unique " } else { "" });
        }
        text
    }
}

fn sqlite_columns(connection: &rusqlite::Connection) -> Vec<Described> {
    let mut query = connection.prepare(SQLITE_COLUMNS).unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn sqlite_indexes(connection: &rusqlite::Connection) -> Vec<Described> {
    let mut query = connection.prepare(SQLITE_INDEXES).unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(3)?, row.get(2)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

async fn postgres_columns(client: &tokio_postgres::Client) -> Vec<Described> {
    let rows = client.query(POSTGRES_COLUMNS, &[]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect()
}

async fn postgres_indexes(client: &tokio_postgres::Client) -> Vec<Described> {
    let rows = client.query(POSTGRES_INDEXES, &[]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1), row.get(3), row.get(2))).collect()
}

async fn migrated(engine: Engine) -> (FreshDatabase, Db) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    let applied = migrate(&db, &Clock::system()).await.unwrap();
    assert_eq!(applied, MIGRATIONS.iter().map(|migration| migration.name).collect::<Vec<_>>());
    (fresh, db)
}

#[tokio::test]
async fn both_engines_have_the_same_schema_led_by_the_tenant() {
    let (sqlite, _sqlite) = migrated(Engine::Sqlite).await;
    let (postgres, _postgres) = migrated(Engine::Postgres).await;
    let schema = Schema::read(&sqlite.location).await;
    assert_eq!(schema.text(), Schema::read(&postgres.location).await.text());
    assert!(schema.columns.len() > 80 && schema.indexes.len() > 20, "{}", schema.text());

    let tenantless: Vec<&str> = schema
        .indexes
        .iter()
        .filter(|index| index.2 != "tenant_id" && !index.2.starts_with("tenant_id,"))
        .map(|index| index.1.as_str())
        .collect();
    assert_eq!(tenantless, TENANTLESS_INDEXES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    sqlite.remove().await;
    postgres.remove().await;
}

async fn migrating_again_changes_nothing(engine: Engine) {
    let (fresh, db) = migrated(engine).await;
    let before = Schema::read(&fresh.location).await.text();
    assert!(migrate(&db, &Clock::system()).await.unwrap().is_empty());
    assert!(migrate(&fresh.open(), &Clock::system()).await.unwrap().is_empty());
    assert_eq!(Schema::read(&fresh.location).await.text(), before);
    drop(db);
    fresh.remove().await;
}

/// As after a start that was interrupted before it recorded its steps.
async fn a_start_that_was_cut_short_is_taken_up_again(engine: Engine) {
    let (fresh, db) = migrated(engine).await;
    let before = Schema::read(&fresh.location).await.text();
    // SQLite cannot repeat a new column, and need not: there a step and its record are one transaction.
    let repeats = |step: &&Migration| engine == Engine::Postgres || !step.sql.starts_with("ALTER");
    let last = MIGRATIONS.iter().rev().find(repeats).unwrap().name;
    run(&db, &format!("DELETE FROM schema_migrations WHERE name = '{last}'")).await;
    assert_eq!(migrate(&db, &Clock::system()).await.unwrap(), [last]);
    assert_eq!(Schema::read(&fresh.location).await.text(), before);
    drop(db);
    fresh.remove().await;
}

/// The refusal of a database with an unknown step.
async fn refusal(db: &Db) -> String {
    let refused = migrate(db, &Clock::system()).await.unwrap_err();
    assert!(matches!(refused, Error::NewerSchema { .. }), "{refused:?}");
    refused.to_string()
}

async fn a_database_of_a_newer_version_is_refused(engine: Engine) {
    let (fresh, db) = migrated(engine).await;
    let this = env!("CARGO_PKG_VERSION");
    for (name, version) in [("9998_of_the_future", "7.1.0"), ("9999_of_the_future", "7.2.0")] {
        let newer = "INSERT INTO schema_migrations (tenant_id, name, applied_at, version) VALUES";
        run(&db, &format!("{newer} (0, '{name}', 1, '{version}')")).await;
    }
    let said = refusal(&db).await;
    let expected = format!(
        "this database was written by version 7.2.0; this is version {this}: install version 7.2.0 or newer, \
         or restore a backup (unknown migration: 9999_of_the_future)"
    );
    assert_eq!(said, expected);
    let backup = store::backup::backup(&db, &Clock::system(), std::io::sink(), None, |_| {}).await;
    assert_eq!(backup.unwrap_err().to_string(), expected);

    // Without a recorded version.
    run(&db, "UPDATE schema_migrations SET version = NULL").await;
    let expected = format!(
        "this database was written by a newer version; this is version {this}: install the newer version, \
         or restore a backup (unknown migration: 9999_of_the_future)"
    );
    assert_eq!(refusal(&db).await, expected);
    run(&db, "ALTER TABLE schema_migrations DROP COLUMN version").await;
    assert_eq!(refusal(&db).await, expected);
    drop(db);
    fresh.remove().await;
}

/// Concurrent starts all succeed and together apply each step once.
async fn starters(engine: Engine, how_many: usize) {
    let fresh = FreshDatabase::on(engine).await;
    let start = |location: Location| async move {
        let db = Db::open(&location)?;
        migrate(&db, &Clock::system()).await
    };
    let tasks: Vec<_> = (0..how_many).map(|_| tokio::spawn(start(fresh.location.clone()))).collect();
    let mut applied = vec![];
    for task in tasks {
        applied.extend(task.await.unwrap().unwrap());
    }
    assert_eq!(applied, MIGRATIONS.iter().map(|migration| migration.name).collect::<Vec<_>>());
    fresh.remove().await;
}

/// Each of them may be the one that switches the database to WAL.
#[tokio::test]
async fn connections_that_open_a_new_database_at_once_all_succeed() {
    for _ in 0..200 {
        let fresh = FreshDatabase::on(Engine::Sqlite).await;
        let together = Barrier::new(8);
        let open = || {
            together.wait();
            Db::open(&fresh.location)
        };
        std::thread::scope(|scope| {
            let opening: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            for opened in opening {
                opened.join().unwrap().unwrap();
            }
        });
        fresh.remove().await;
    }
}

on_both! {
    migrating_again_changes_nothing
    a_start_that_was_cut_short_is_taken_up_again
    a_database_of_a_newer_version_is_refused
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn starters_at_once_all_succeed_on_sqlite() {
    for how_many in [2, 8] {
        starters(Engine::Sqlite, how_many).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn starters_at_once_all_succeed_on_postgres() {
    for how_many in [2, 8] {
        starters(Engine::Postgres, how_many).await;
    }
}
