//! The schema: the same on both engines, listed in `tables.rs`, with the tenant first in every key.

use std::sync::Barrier;

use domain::Clock;
use store::base::tables::{self, TABLES};
use store::{Db, Engine, Statement, migrate, read};
use testkit::fresh::FreshDatabase;

/// Reviewed: indexes that do not begin with the tenant.
const TENANTLESS_INDEXES: &[(&str, &str)] = &[
    ("broadcast_retries_due", "the worker looks for due retries across tenants"),
    ("channels_account_id", "a request to the sandbox names an account and no tenant"),
    ("channels_id", "a hook names its channel and no tenant"),
    ("channels_phone_number_id", "a request to the sandbox names a number and no tenant"),
    ("conversations_wake", "the worker looks for snoozes that are over across tenants"),
    ("event_logs_moved", "nodes look for changed logs across tenants"),
    ("idempotency_expires", "a sweep across tenants"),
    ("imports_open", "workers look for work across tenants"),
    ("imports_unindexed", "workers look for work across tenants"),
    ("orders_lookup", "workers look for due look-ups across tenants"),
    ("presences_changed", "nodes look for changes of other nodes across tenants"),
    ("presences_until", "a sweep looks for ended presences across tenants"),
    ("sandbox_due_at", "nodes look for due work across tenants"),
    ("sandbox_records_key", "a request to the sandbox names a file or a template and no tenant"),
    ("timers_due", "the worker looks for due timers across tenants"),
    ("webhook_deliveries_due_at", "nodes look for due work across tenants"),
    ("webhooks_enabled", "nodes read all active endpoints"),
];
/// SQLite needs no such table: its write lock keeps two starts apart.
const ONLY_ON_POSTGRES: &str = "migration_guard";

/// Indexes that are not primary keys: name, whether unique, columns, and what follows the columns. Without the index
/// that repeats the primary key of the calls, whose rows SQLite stores in the order of that key.
static INDEXES: Statement = Statement::new(
    "test.indexes",
    "SELECT {sqlite i.name, i.\"unique\",
         (SELECT group_concat(k.name) FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) k), i.partial
     FROM sqlite_schema m JOIN pragma_index_list(m.name) i WHERE m.type = 'table' AND i.origin <> 'pk'
         AND i.name <> 'calls_time' ORDER BY 1}
     {postgres i.relname::text, x.indisunique,
         (SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY k (number, place)
          JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number), x.indpred IS NOT NULL
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
     WHERE i.relnamespace = current_schema()::regnamespace AND NOT x.indisprimary ORDER BY i.relname COLLATE \"C\"}",
);
static TABLE_NAMES: Statement = Statement::new(
    "test.tables",
    "SELECT {sqlite name FROM sqlite_schema WHERE type = 'table'}
     {postgres relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'}",
);

/// The tables of a database without the guard of the migrations, which exists before the schema, by name.
pub async fn table_names(db: &Db) -> Vec<String> {
    let mut names: Vec<String> = db.rows(&TABLE_NAMES, &[], read).await.unwrap();
    names.retain(|name| name != ONLY_ON_POSTGRES);
    names.sort();
    names
}

/// The schema of a database, as text.
pub async fn schema(db: &Db) -> String {
    let shapes = tables::shapes(db).await.unwrap();
    let shapes: Vec<_> = shapes.into_iter().filter(|table| table.name != ONLY_ON_POSTGRES).collect();
    format!("{shapes:#?} {:#?}", indexes(db).await)
}

async fn indexes(db: &Db) -> Vec<(String, bool, String, bool)> {
    db.rows(&INDEXES, &[], read).await.unwrap()
}

pub async fn migrated(engine: Engine) -> (FreshDatabase, Db) {
    let fresh = FreshDatabase::on(engine).await;
    let db = fresh.open();
    migrate(&db, &Clock::system()).await.unwrap();
    (fresh, db)
}

#[tokio::test]
async fn both_engines_have_the_same_schema_led_by_the_tenant() {
    let (sqlite, on_sqlite) = migrated(Engine::Sqlite).await;
    let (postgres, on_postgres) = migrated(Engine::Postgres).await;
    assert_eq!(schema(&on_sqlite).await, schema(&on_postgres).await);

    let tables = tables::shapes(&on_postgres).await.unwrap();
    assert!(tables.iter().all(|table| table.key[0] == "tenant_id"));
    let mut listed: Vec<&str> =
        TABLES.iter().map(|table| table.name).filter(|name| *name != ONLY_ON_POSTGRES).collect();
    listed.sort_unstable();
    assert_eq!(table_names(&on_sqlite).await, listed, "tables.rs lists every table");
    assert_eq!(table_names(&on_postgres).await, listed);

    let indexes = indexes(&on_sqlite).await;
    let tenantless = indexes.iter().filter(|(_, _, columns, _)| columns.split(',').next() != Some("tenant_id"));
    let tenantless: Vec<&str> = tenantless.map(|(name, ..)| name.as_str()).collect();
    assert_eq!(tenantless, TENANTLESS_INDEXES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    drop((on_sqlite, on_postgres));
    sqlite.remove().await;
    postgres.remove().await;
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
