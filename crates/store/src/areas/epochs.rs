//! Counters that move with every change of something that nodes remember: a node whose number is old forgets.

use domain::TenantId;

use crate::{Db, Result, Statement, Tx, params};

static READ: Statement = Statement::new("epochs.read", "SELECT value FROM epochs WHERE tenant_id = $1 AND name = $2");
static BUMP: Statement = Statement::new(
    "epochs.bump",
    "INSERT INTO epochs (tenant_id, name, value) VALUES ($1, $2, 1)
     ON CONFLICT (tenant_id, name) DO UPDATE SET value = epochs.value + 1",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&READ, &BUMP];

/// Tenants, accounts, tokens and revocations: all that the gate remembers.
const CREDENTIALS: &str = "credentials";

pub async fn credentials(db: &Db) -> Result<i64> {
    let value = db.row(&READ, params![TenantId::INSTALLATION, CREDENTIALS], |row| row.int(0)).await?;
    Ok(value.unwrap_or(0))
}

/// In the same transaction as the change itself.
pub async fn bump_credentials(tx: &mut Tx<'_>) -> Result<()> {
    tx.execute(&BUMP, params![TenantId::INSTALLATION, CREDENTIALS]).await.map(drop)
}
