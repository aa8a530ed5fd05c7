//! Applies missing migrations.
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

use super::Migration;
use super::commands::{commands, created_table};
use super::record::{self, AppliedStep, missing};
use crate::base::citus;
use crate::base::db::Driver;
use crate::base::error::{VERSION, with_cause};
use crate::base::postgres::driver::Postgres;
use crate::base::sqlite::driver::Sqlite;
use crate::base::statement::{postgres_text, sqlite_text};
use crate::{Db, Error, Result};

/// False for compatible databases that do not undo the creation of tables: they get the steps one by one.
const IS_NEW_POSTGRES: &str = "SELECT to_regclass('schema_migrations') IS NULL
    AND version() LIKE 'PostgreSQL %' AND version() NOT LIKE '%-YB-%'";
const IS_EMPTY_POSTGRES: &str = "SELECT to_regclass('schema_migrations') IS NULL";
const IS_EMPTY_SQLITE: &str = "SELECT COUNT(*) = 0 FROM sqlite_schema WHERE name = 'schema_migrations'";
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
/// Steps on large tables take longer than statements of requests may. Holds until the end of the step's transaction.
const WITHOUT_TIME_LIMIT: &str = "SET LOCAL statement_timeout = 0";
/// Most attempts to create a table, 25 ms apart: on PostgreSQL one of two processes that create the same table at the
/// same time can fail, even with IF NOT EXISTS.
const TRIES: u32 = 40;

/// A value with its type, for a statement that is not prepared: a pooler does not keep prepared statements.
type TypedValue<'a> = (&'a (dyn ToSql + Sync), Type);

/// Applies those of the steps that the database does not have, and returns their names.
#[boxed::futures]
pub async fn apply(db: &Db, clock: &Clock, steps: &[Migration]) -> Result<Vec<&'static str>> {
    match db.driver() {
        Driver::Sqlite(sqlite) => apply_on_sqlite(sqlite, clock, steps),
        Driver::Postgres(postgres) => apply_on_postgres(postgres, clock, steps).await,
    }
}

/// Whether the database holds no installation: no step was ever applied to it.
#[boxed::futures]
pub async fn is_empty(db: &Db) -> Result<bool> {
    match db.driver() {
        Driver::Sqlite(sqlite) => {
            let reader = sqlite.reader()?;
            let is_empty = reader.query_row(IS_EMPTY_SQLITE, [], |row| row.get(0));
            sqlite.give_back(reader);
            is_empty.map_err(|error| Error::sqlite("migrate", &error))
        }
        Driver::Postgres(postgres) => {
            let client = postgres.client().await?;
            ask::<Client>(&client, IS_EMPTY_POSTGRES).await
        }
    }
}

fn apply_on_sqlite(sqlite: &Sqlite, clock: &Clock, steps: &[Migration]) -> Result<Vec<&'static str>> {
    let mut connection = sqlite.reader()?;
    let wrong = |error: rusqlite::Error| Error::sqlite("migrate", &error);
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(wrong)?;
    tx.execute_batch(record::CREATE).map_err(wrong)?;
    let missing = missing(steps, &applied_on_sqlite(&tx).map_err(wrong)?)?;
    for migration in &missing {
        let step = |error: rusqlite::Error| Error::Migration(format!("{}: {error}", migration.name));
        tx.execute_batch(&sqlite_text(migration.sql)).map_err(step)?;
        let values = (TenantId::INSTALLATION.number(), migration.name, clock.now().micros(), VERSION);
        tx.execute(&sqlite_text(record::RECORD), values).map_err(step)?;
    }
    tx.commit().map_err(wrong)?;
    sqlite.give_back(connection);
    Ok(missing.iter().map(|migration| migration.name).collect())
}

fn applied_on_sqlite(tx: &rusqlite::Transaction<'_>) -> rusqlite::Result<Vec<AppliedStep>> {
    let mut applied = tx.prepare(&sqlite_text(record::APPLIED))?;
    let step = |row: &rusqlite::Row<'_>| {
        Ok(AppliedStep { name: row.get("name")?, version: row.get("version").unwrap_or_default() })
    };
    applied.query_map([TenantId::INSTALLATION.number()], step)?.collect()
}

async fn apply_on_postgres(postgres: &Postgres, clock: &Clock, steps: &[Migration]) -> Result<Vec<&'static str>> {
    let mut client = postgres.client().await?;
    let holder = format!("{:032x}", rand::random::<u128>());
    while is_new::<Client>(&client).await? {
        create_with_patience(&client, GUARD).await?;
        if create_schema(&mut client, &holder, clock, steps).await? {
            return Ok(steps.iter().map(|step| step.name).collect());
        }
        tokio::time::sleep(GUARD_PAUSE).await;
    }
    if let Ok(applied) = applied_on(&client).await
        && missing(steps, &applied)?.is_empty()
    {
        return Ok(Vec::new());
    }
    for table in [GUARD, record::CREATE] {
        create_with_patience(&client, table).await?;
    }
    take_guard(&client, &holder, clock).await?;
    let outcome = apply_missing(&mut client, &holder, clock, steps).await;
    let installation = TenantId::INSTALLATION.number();
    let _ = client.execute_typed(LEAVE_GUARD, &[(&installation, Type::INT8), (&holder, Type::TEXT)]).await;
    outcome
}

/// Whether no step was applied.
async fn is_new<C: GenericClient + Sync>(client: &C) -> Result<bool> {
    ask(client, IS_NEW_POSTGRES).await
}

/// The answer to a question that is true or false.
async fn ask<C: GenericClient + Sync>(client: &C, question: &str) -> Result<bool> {
    let row = client.query_typed_one(question, &[]).await.map_err(|error| Error::postgres("migrate", &error))?;
    row.try_get(0).map_err(|_| Error::Column(0))
}

/// Applies all steps in one transaction. False if another process holds the guard or has created the schema.
async fn create_schema(client: &mut Object, holder: &String, clock: &Clock, steps: &[Migration]) -> Result<bool> {
    let wrong = |error: tokio_postgres::Error| Error::postgres("migrate", &error);
    let begin = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
    let tx = begin.start().await.map_err(wrong)?;
    if !try_guard(&*tx, holder, clock).await? || !is_new(&*tx).await? {
        tx.rollback().await.map_err(wrong)?;
        return Ok(false);
    }
    tx.batch_execute(record::CREATE).await.map_err(wrong)?;
    for step in steps {
        apply_step(&*tx, step, clock).await?;
    }
    let installation = TenantId::INSTALLATION.number();
    tx.execute_typed(LEAVE_GUARD, &[(&installation, Type::INT8), (holder, Type::TEXT)]).await.map_err(wrong)?;
    tx.commit().await.map_err(wrong)?;
    Ok(true)
}

async fn applied_on(client: &Client) -> Result<Vec<AppliedStep>> {
    let rows = client.query_typed(record::APPLIED, &[(&TenantId::INSTALLATION.number(), Type::INT8)]).await;
    let rows = rows.map_err(|error| Error::postgres("migrate", &error))?;
    let step = |row: &tokio_postgres::Row| {
        let name = row.try_get("name").map_err(|_| Error::Column(0))?;
        Ok(AppliedStep { name, version: row.try_get("version").unwrap_or_default() })
    };
    rows.iter().map(step).collect()
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

async fn apply_missing(
    client: &mut Object,
    holder: &String,
    clock: &Clock,
    steps: &[Migration],
) -> Result<Vec<&'static str>> {
    let mut applied = Vec::new();
    let mut left = missing(steps, &applied_on(client).await?)?.into_iter();
    while let Some(migration) = left.next() {
        // The lease is renewed before each step. Another process may repeat a step that takes longer than the lease,
        // which does no harm.
        if !try_guard::<Client>(client, holder, clock).await? {
            // This process was held up for longer than its lease, and another one goes on with the steps.
            take_guard(client, holder, clock).await?;
            left = missing(steps, &applied_on(client).await?)?.into_iter();
            continue;
        }
        let wrong = |error: tokio_postgres::Error| Error::postgres("migrate", &error);
        let begin = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
        let tx = begin.start().await.map_err(wrong)?;
        apply_step(&*tx, migration, clock).await?;
        tx.commit().await.map_err(wrong)?;
        applied.push(migration.name);
    }
    Ok(applied)
}

/// Applies a step in the transaction of the caller, one command in a message.
async fn apply_step<C: GenericClient + Sync>(client: &C, migration: &Migration, clock: &Clock) -> Result<()> {
    let step = |error: tokio_postgres::Error| Error::Migration(format!("{}: {}", migration.name, with_cause(&error)));
    client.batch_execute(WITHOUT_TIME_LIMIT).await.map_err(step)?;
    let is_distributed = is_distributed(client).await?;
    if is_distributed {
        client.batch_execute(citus::ONE_CONNECTION).await.map_err(step)?;
    }
    for command in commands(&postgres_text(migration.sql)) {
        client.batch_execute(command).await.map_err(step)?;
        if let Some(table) = created_table(command).filter(|_| is_distributed) {
            client.batch_execute(&citus::distribute_new(table)).await.map_err(step)?;
        }
    }
    let (installation, now) = (TenantId::INSTALLATION.number(), clock.now().micros());
    let values: [TypedValue<'_>; 4] =
        [(&installation, Type::INT8), (&migration.name, Type::TEXT), (&now, Type::INT8), (&VERSION, Type::TEXT)];
    client.execute_typed(record::RECORD, &values).await.map(drop).map_err(step)
}

/// Whether the tables are distributed by Citus: new ones must be, too.
async fn is_distributed<C: GenericClient + Sync>(client: &C) -> Result<bool> {
    Ok(ask(client, citus::HAS_EXTENSION).await? && ask(client, citus::IS_DISTRIBUTED).await?)
}
