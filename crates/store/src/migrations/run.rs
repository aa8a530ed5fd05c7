//! Creates the schema of a new database, applies missing migrations to others, and rebuilds the index of contacts if it
//! is out of date.
//!
//! PostgreSQL: `create_schema` takes the guard inside of its transaction, so that a process that dies leaves nothing
//! behind, the guard included; other processes wait for the row until the transaction ends. A process that does not get
//! the guard ends its own transaction before it tries again: the refused attempt locks the row as well, and would keep
//! the holder from renewing it.

use std::time::Duration;

use deadpool_postgres::Object;
use domain::{Clock, TenantId};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, GenericClient, IsolationLevel};

use super::record::{self, AppliedStep, VERSION, has_version, missing};
use super::{MIGRATIONS, Migration};
use crate::db::Driver;
use crate::error::with_cause;
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::statement::{postgres_text, sqlite_text};
use crate::{Db, Error, Result};

const SQLITE_SCHEMA: &str = include_str!("schema.sqlite.sql");
const POSTGRES_SCHEMA: &str = include_str!("schema.postgres.sql");

const IS_NEW_SQLITE: &str =
    "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name IN ('schema_migrations', 'installation'))";
/// False for compatible databases that do not undo the creation of tables: after a crash they could not go on in the
/// middle of the script, but can in the list of steps.
const IS_NEW_POSTGRES: &str = "SELECT to_regclass('schema_migrations') IS NULL AND to_regclass('installation') IS NULL
    AND version() LIKE 'PostgreSQL %' AND version() NOT LIKE '%-YB-%'";
const RECORD_ALL: &str = "INSERT INTO schema_migrations (tenant_id, name, applied_at, version)
    SELECT $1::bigint, name, $3::bigint, $4::text FROM unnest($2::text[]) AS name";
/// Created outside of the migrations, since it guards them.
const GUARD: &str = "CREATE TABLE IF NOT EXISTS migration_guard (
    tenant_id BIGINT NOT NULL, holder TEXT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (tenant_id))";
const TAKE_GUARD: &str = "INSERT INTO migration_guard (tenant_id, holder, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (tenant_id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE migration_guard.expires_at <= $4 OR migration_guard.holder = excluded.holder";
const LEAVE_GUARD: &str = "UPDATE migration_guard SET expires_at = 0 WHERE tenant_id = $1 AND holder = $2";
const GUARD_SECONDS: i64 = 60;
/// Pause between two attempts to take the guard.
const GUARD_PAUSE: Duration = Duration::from_millis(50);
/// Steps on large tables take longer than statements of requests may. Holds for the statements that are sent with it,
/// since several statements in one message are one transaction.
const WITHOUT_TIME_LIMIT: &str = "SET LOCAL statement_timeout = 0;";
/// Most attempts to create a table, 25 ms apart: on PostgreSQL one of two processes that create the same table at the
/// same time can fail, even with IF NOT EXISTS.
const TRIES: u32 = 40;

/// A value with its type, for a statement that is not prepared: a pooler does not keep prepared statements.
type TypedValue<'a> = (&'a (dyn ToSql + Sync), Type);

/// Creates the schema or applies missing migrations, rebuilds the index of contacts if it is out of date, and returns
/// the names of the migrations that the database got.
pub async fn migrate(db: &Db, clock: &Clock) -> Result<Vec<&'static str>> {
    let applied = match db.driver() {
        Driver::Sqlite(sqlite) => migrate_sqlite(sqlite, clock)?,
        Driver::Postgres(postgres) => migrate_postgres(postgres, clock).await?,
    };
    crate::contacts::rebuild(db, &mut |done| tracing::info!(contacts = done, "the index of the contacts is built")).await?;
    Ok(applied)
}

fn all_names() -> Vec<&'static str> {
    MIGRATIONS.iter().map(|migration| migration.name).collect()
}

fn migrate_sqlite(sqlite: &Sqlite, clock: &Clock) -> Result<Vec<&'static str>> {
    let mut connection = sqlite.reader()?;
    let wrong = |error: rusqlite::Error| Error::sqlite("migrate", &error);
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(wrong)?;
    let applied = if tx.query_row(IS_NEW_SQLITE, [], |row| row.get(0)).map_err(wrong)? {
        create_on_sqlite(&tx, clock).map_err(|error| Error::Migration(format!("new schema: {error}")))?;
        all_names()
    } else {
        apply_on_sqlite(&tx, clock)?
    };
    tx.commit().map_err(wrong)?;
    sqlite.give_back(connection);
    Ok(applied)
}

fn create_on_sqlite(tx: &rusqlite::Transaction<'_>, clock: &Clock) -> rusqlite::Result<()> {
    tx.execute_batch(SQLITE_SCHEMA)?;
    let now = clock.now().micros();
    let mut record = tx.prepare(&sqlite_text(record::RECORD))?;
    for migration in MIGRATIONS {
        record.execute((TenantId::INSTALLATION.number(), migration.name, now, VERSION))?;
    }
    Ok(())
}

fn apply_on_sqlite(tx: &rusqlite::Transaction<'_>, clock: &Clock) -> Result<Vec<&'static str>> {
    let wrong = |error: rusqlite::Error| Error::sqlite("migrate", &error);
    tx.execute_batch(record::CREATE).map_err(wrong)?;
    let missing = missing(&applied_on_sqlite(tx).map_err(wrong)?)?;
    for migration in &missing {
        let step = |error: rusqlite::Error| Error::Migration(format!("{}: {error}", migration.name));
        tx.execute_batch(&sqlite_text(migration.sql)).map_err(step)?;
        let (installation, now) = (TenantId::INSTALLATION.number(), clock.now().micros());
        let recorded = if has_version(migration) {
            tx.execute(&sqlite_text(record::RECORD), (installation, migration.name, now, VERSION))
        } else {
            tx.execute(&sqlite_text(record::RECORD_UNVERSIONED), (installation, migration.name, now))
        };
        recorded.map_err(step)?;
    }
    Ok(missing.iter().map(|migration| migration.name).collect())
}

fn applied_on_sqlite(tx: &rusqlite::Transaction<'_>) -> rusqlite::Result<Vec<AppliedStep>> {
    let installation = [TenantId::INSTALLATION.number()];
    if let Ok(mut applied) = tx.prepare(&sqlite_text(record::APPLIED)) {
        let step = |row: &rusqlite::Row<'_>| Ok(AppliedStep { name: row.get(0)?, version: row.get(1)? });
        return applied.query_map(installation, step)?.collect();
    }
    let mut applied = tx.prepare(&sqlite_text(record::APPLIED_UNVERSIONED))?;
    applied.query_map(installation, |row| Ok(AppliedStep { name: row.get(0)?, version: None }))?.collect()
}

async fn migrate_postgres(postgres: &Postgres, clock: &Clock) -> Result<Vec<&'static str>> {
    let mut client = postgres.client().await?;
    let holder = format!("{:032x}", rand::random::<u128>());
    while is_new::<Client>(&client).await? {
        create_with_patience(&client, GUARD).await?;
        if create_schema(&mut client, &holder, clock).await? {
            return Ok(all_names());
        }
        tokio::time::sleep(GUARD_PAUSE).await;
    }
    if let Ok(applied) = applied_on(&client).await
        && missing(&applied)?.is_empty()
    {
        return Ok(Vec::new());
    }
    for table in [GUARD, record::CREATE] {
        create_with_patience(&client, table).await?;
    }
    take_guard(&client, &holder, clock).await?;
    let outcome = apply_missing(&client, &holder, clock).await;
    let installation = TenantId::INSTALLATION.number();
    let _ = client.execute_typed(LEAVE_GUARD, &[(&installation, Type::INT8), (&holder, Type::TEXT)]).await;
    outcome
}

/// Whether the database has no table of the schema.
async fn is_new<C: GenericClient + Sync>(client: &C) -> Result<bool> {
    let row = client.query_typed_one(IS_NEW_POSTGRES, &[]).await.map_err(|error| Error::postgres("migrate", &error))?;
    row.try_get(0).map_err(|_| Error::Column(0))
}

/// Creates the schema in one transaction. False if another process holds the guard or has created the schema.
async fn create_schema(client: &mut Object, holder: &String, clock: &Clock) -> Result<bool> {
    let wrong = |error: tokio_postgres::Error| Error::postgres("migrate", &error);
    let begin = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
    let tx = begin.start().await.map_err(wrong)?;
    if !try_guard(&*tx, holder, clock).await? || !is_new(&*tx).await? {
        tx.rollback().await.map_err(wrong)?;
        return Ok(false);
    }
    let failed = |error: tokio_postgres::Error| Error::Migration(format!("new schema: {}", with_cause(&error)));
    tx.batch_execute(&format!("{WITHOUT_TIME_LIMIT}\n{POSTGRES_SCHEMA}")).await.map_err(failed)?;
    let (installation, now) = (TenantId::INSTALLATION.number(), clock.now().micros());
    let names = all_names();
    let values: [TypedValue<'_>; 4] =
        [(&installation, Type::INT8), (&names, Type::TEXT_ARRAY), (&now, Type::INT8), (&VERSION, Type::TEXT)];
    tx.execute_typed(RECORD_ALL, &values).await.map_err(failed)?;
    tx.execute_typed(LEAVE_GUARD, &[(&installation, Type::INT8), (holder, Type::TEXT)]).await.map_err(failed)?;
    tx.commit().await.map_err(wrong)?;
    Ok(true)
}

async fn applied_on(client: &Client) -> Result<Vec<AppliedStep>> {
    let installation = TenantId::INSTALLATION.number();
    let name = |row: &tokio_postgres::Row| row.try_get(0).map_err(|_| Error::Column(0));
    let version = |row: &tokio_postgres::Row| row.try_get(1).map_err(|_| Error::Column(1));
    if let Ok(rows) = client.query_typed(record::APPLIED, &[(&installation, Type::INT8)]).await {
        return rows.iter().map(|row| Ok(AppliedStep { name: name(row)?, version: version(row)? })).collect();
    }
    let rows = client.query_typed(record::APPLIED_UNVERSIONED, &[(&installation, Type::INT8)]).await;
    let rows = rows.map_err(|error| Error::postgres("migrate", &error))?;
    rows.iter().map(|row| Ok(AppliedStep { name: name(row)?, version: None })).collect()
}

async fn create_with_patience(client: &Client, table: &str) -> Result<()> {
    let mut tries = 0;
    loop {
        tries += 1;
        match client.batch_execute(table).await {
            Err(_) if tries < TRIES => tokio::time::sleep(Duration::from_millis(25)).await,
            outcome => return outcome.map_err(|error| Error::postgres("migrate", &error)),
        }
    }
}

/// Takes or renews the guard. False if another process holds it.
async fn try_guard<C: GenericClient + Sync>(client: &C, holder: &String, clock: &Clock) -> Result<bool> {
    let now = clock.now();
    let until = now.plus_seconds(GUARD_SECONDS).micros();
    let installation = TenantId::INSTALLATION.number();
    let now = now.micros();
    let values: [TypedValue<'_>; 4] =
        [(&installation, Type::INT8), (holder, Type::TEXT), (&until, Type::INT8), (&now, Type::INT8)];
    let taken = client.execute_typed(TAKE_GUARD, &values).await;
    Ok(taken.map_err(|error| Error::postgres("migrate", &error))? == 1)
}

async fn take_guard(client: &Client, holder: &String, clock: &Clock) -> Result<()> {
    while !try_guard(client, holder, clock).await? {
        tokio::time::sleep(GUARD_PAUSE).await;
    }
    Ok(())
}

async fn apply_missing(client: &Client, holder: &String, clock: &Clock) -> Result<Vec<&'static str>> {
    let mut applied = Vec::new();
    let mut left = missing(&applied_on(client).await?)?.into_iter();
    while let Some(migration) = left.next() {
        // The lease is renewed before each step. Another process may repeat a step that takes longer than the lease,
        // which does no harm.
        if !try_guard(client, holder, clock).await? {
            // This process was held up for longer than its lease, and another one goes on with the steps.
            take_guard(client, holder, clock).await?;
            left = missing(&applied_on(client).await?)?.into_iter();
            continue;
        }
        apply(client, migration, clock).await?;
        applied.push(migration.name);
    }
    Ok(applied)
}

async fn apply(client: &Client, migration: &Migration, clock: &Clock) -> Result<()> {
    let step = |error: tokio_postgres::Error| Error::Migration(format!("{}: {}", migration.name, with_cause(&error)));
    let unlimited = format!("{WITHOUT_TIME_LIMIT} {}", postgres_text(migration.sql));
    client.batch_execute(&unlimited).await.map_err(step)?;
    let (installation, now) = (TenantId::INSTALLATION.number(), clock.now().micros());
    let values: [TypedValue<'_>; 4] =
        [(&installation, Type::INT8), (&migration.name, Type::TEXT), (&now, Type::INT8), (&VERSION, Type::TEXT)];
    let recorded = if has_version(migration) {
        client.execute_typed(record::RECORD, &values).await
    } else {
        client.execute_typed(record::RECORD_UNVERSIONED, &values[..3]).await
    };
    recorded.map(drop).map_err(step)
}
