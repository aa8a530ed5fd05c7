//! Applies missing migrations and rebuilds the index of contacts if it is out of date.

use std::collections::HashSet;
use std::time::Duration;

use domain::{Clock, TenantId};

use super::{MIGRATIONS, Migration};
use crate::db::Driver;
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::statement::{postgres_text, sqlite_text};
use crate::{Db, Error, Result};

const LEDGER: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (tenant_id, name))";
const APPLIED: &str = "SELECT name FROM schema_migrations WHERE tenant_id = $1";
const RECORD: &str = "INSERT INTO schema_migrations (tenant_id, name, applied_at) VALUES ($1, $2, $3)
    ON CONFLICT (tenant_id, name) DO NOTHING";
/// Created outside of the migrations, since it guards them.
const GUARD: &str = "CREATE TABLE IF NOT EXISTS migration_guard (
    tenant_id BIGINT NOT NULL, holder TEXT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (tenant_id))";
const TAKE_GUARD: &str = "INSERT INTO migration_guard (tenant_id, holder, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (tenant_id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE migration_guard.expires_at <= $4 OR migration_guard.holder = excluded.holder";
const LEAVE_GUARD: &str = "UPDATE migration_guard SET expires_at = 0 WHERE tenant_id = $1 AND holder = $2";
const GUARD_SECONDS: i64 = 60;
/// Most attempts to create a table, 25 ms apart: on PostgreSQL one of two processes that create the same table at the
/// same time can fail, even with IF NOT EXISTS.
const TRIES: u32 = 40;

/// Applies missing migrations, rebuilds the index of contacts if it is out of date, and returns the names of the
/// migrations that it applied.
pub async fn migrate(db: &Db, clock: &Clock) -> Result<Vec<&'static str>> {
    let applied = match db.driver() {
        Driver::Sqlite(sqlite) => migrate_sqlite(sqlite, clock)?,
        Driver::Postgres(postgres) => migrate_postgres(postgres, clock).await?,
    };
    crate::contacts::rebuild(db, |done| tracing::info!(contacts = done, "the index of the contacts is built")).await?;
    Ok(applied)
}

/// The migrations that are not applied. Fails if the database has one that this version does not know.
pub(crate) fn missing(applied: &HashSet<String>) -> Result<Vec<&'static Migration>> {
    let known = |name: &String| MIGRATIONS.iter().any(|migration| migration.name == *name);
    if let Some(unknown) = applied.iter().find(|name| !known(name)) {
        return Err(Error::Migration(format!(
            "the database was migrated by a newer version of this program (it knows {unknown}): use that version, or restore a backup"
        )));
    }
    Ok(MIGRATIONS.iter().filter(|migration| !applied.contains(migration.name)).collect())
}

fn migrate_sqlite(sqlite: &Sqlite, clock: &Clock) -> Result<Vec<&'static str>> {
    let mut connection = sqlite.reader()?;
    let wrong = |error: rusqlite::Error| Error::sqlite("migrate", &error);
    let applied = {
        let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(wrong)?;
        tx.execute_batch(LEDGER).map_err(wrong)?;
        let read = |tx: &rusqlite::Transaction<'_>| {
            let mut applied = tx.prepare(&sqlite_text(APPLIED))?;
            applied
                .query_map([TenantId::INSTALLATION.number()], |row| row.get(0))?
                .collect::<rusqlite::Result<HashSet<String>>>()
        };
        let missing = missing(&read(&tx).map_err(wrong)?)?;
        for migration in &missing {
            let step = |error: rusqlite::Error| Error::Migration(format!("{}: {error}", migration.name));
            tx.execute_batch(&sqlite_text(migration.sql)).map_err(step)?;
            let now = clock.now().micros();
            tx.execute(&sqlite_text(RECORD), (TenantId::INSTALLATION.number(), migration.name, now)).map_err(step)?;
        }
        tx.commit().map_err(wrong)?;
        missing
    };
    sqlite.give_back(connection);
    Ok(applied.iter().map(|migration| migration.name).collect())
}

async fn migrate_postgres(postgres: &Postgres, clock: &Clock) -> Result<Vec<&'static str>> {
    let client = postgres.client().await?;
    if let Ok(applied) = applied_on(&client).await
        && missing(&applied)?.is_empty()
    {
        return Ok(Vec::new());
    }
    let holder = format!("{:032x}", rand::random::<u128>());
    for table in [GUARD, LEDGER] {
        create_with_patience(&client, table).await?;
    }
    take_guard(&client, &holder, clock).await?;
    let outcome = apply_missing(&client, &holder, clock).await;
    let installation = TenantId::INSTALLATION.number();
    let _ = client.execute(LEAVE_GUARD, &[&installation, &holder]).await;
    outcome
}

async fn applied_on(client: &tokio_postgres::Client) -> Result<HashSet<String>> {
    let rows = client.query(APPLIED, &[&TenantId::INSTALLATION.number()]).await;
    let rows = rows.map_err(|error| Error::postgres("migrate", &error))?;
    rows.iter().map(|row| row.try_get(0).map_err(|_| Error::Column(0))).collect()
}

async fn create_with_patience(client: &tokio_postgres::Client, table: &str) -> Result<()> {
    let mut tries = 0;
    loop {
        tries += 1;
        match client.batch_execute(table).await {
            Err(_) if tries < TRIES => tokio::time::sleep(Duration::from_millis(25)).await,
            outcome => return outcome.map_err(|error| Error::postgres("migrate", &error)),
        }
    }
}

async fn take_guard(client: &tokio_postgres::Client, holder: &String, clock: &Clock) -> Result<()> {
    loop {
        let now = clock.now();
        let until = now.plus_seconds(GUARD_SECONDS).micros();
        let installation = TenantId::INSTALLATION.number();
        let taken = client.execute(TAKE_GUARD, &[&installation, holder, &until, &now.micros()]).await;
        if taken.map_err(|error| Error::postgres("migrate", &error))? == 1 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn apply_missing(client: &tokio_postgres::Client, holder: &String, clock: &Clock) -> Result<Vec<&'static str>> {
    let missing = missing(&applied_on(client).await?)?;
    for migration in &missing {
        // The lease is renewed before each step. Another process may repeat a step that takes longer than the lease,
        // which does no harm.
        take_guard(client, holder, clock).await?;
        let step = |error: tokio_postgres::Error| {
            Error::Migration(format!("{}: {}", migration.name, crate::error::with_cause(&error)))
        };
        client.batch_execute(&postgres_text(migration.sql)).await.map_err(step)?;
        let now = clock.now().micros();
        client.execute(RECORD, &[&TenantId::INSTALLATION.number(), &migration.name, &now]).await.map_err(step)?;
    }
    Ok(missing.iter().map(|migration| migration.name).collect())
}
