//! Epochs: counters that increase with every change of something that nodes cache. A node whose number is older drops
//! its cache. The same table has the versions of derived tables. Both are state of the database and not in backups.

use domain::TenantId;

use crate::{Db, Result, Tx, params, read};

statements! {
    READ = "SELECT value FROM epochs WHERE tenant_id = $1 AND name = $2";
    BUMP = "INSERT INTO epochs (tenant_id, name, value) VALUES ($1, $2, 1)
        ON CONFLICT (tenant_id, name) DO UPDATE SET value = epochs.value + 1";
    SET = "INSERT INTO epochs (tenant_id, name, value) VALUES ($1, $2, $3)
        ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value";
    START = "INSERT INTO epochs (tenant_id, name, value) VALUES ($1, $2, 0) ON CONFLICT (tenant_id, name) DO NOTHING";
    SET_FROM = "UPDATE epochs SET value = $4 WHERE tenant_id = $1 AND name = $2 AND value = $3";
}

/// Name of the epoch that increases with every change of tenants, accounts, tokens and revocations, which the gate
/// caches.
const CREDENTIALS: &str = "credentials";

pub async fn credentials(db: &Db) -> Result<i64> {
    value(db, CREDENTIALS).await
}

/// The stored number, 0 if it was never set.
pub(crate) async fn value(db: &Db, name: &str) -> Result<i64> {
    let value = db.row(&READ, params![TenantId::INSTALLATION, name], read).await?;
    Ok(value.unwrap_or(0))
}

pub(crate) async fn set(tx: &mut Tx<'_>, name: &str, value: i64) -> Result<()> {
    tx.execute(&SET, params![TenantId::INSTALLATION, name, value]).await.map(drop)
}

/// Sets the number to `new` if it is `old`. False if it is not: another transaction has changed it.
pub(crate) async fn set_from(tx: &mut Tx<'_>, name: &str, old: i64, new: i64) -> Result<bool> {
    Ok(tx.execute(&SET_FROM, params![TenantId::INSTALLATION, name, old, new]).await? == 1)
}

/// Sets a number that was never set, or is 0, to 1. False if another transaction has done so: of two, one gets true.
pub(crate) async fn claim(tx: &mut Tx<'_>, name: &str) -> Result<bool> {
    tx.execute(&START, params![TenantId::INSTALLATION, name]).await?;
    set_from(tx, name, 0, 1).await
}

/// Must run in the transaction that changes what the gate caches.
pub async fn bump_credentials(tx: &mut Tx<'_>) -> Result<()> {
    bump(tx, CREDENTIALS).await
}

pub(crate) async fn bump(tx: &mut Tx<'_>, name: &str) -> Result<()> {
    tx.execute(&BUMP, params![TenantId::INSTALLATION, name]).await.map(drop)
}
