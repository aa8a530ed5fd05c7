//! Teams: made when they are first named.

use domain::contacts::Team;
use domain::{TenantId, Timestamp};

use crate::{Db, Result, Row, Statement, Tx, params};

static ADD: Statement = Statement::new(
    "teams.add",
    "INSERT INTO teams (tenant_id, id, key, name, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, key) DO NOTHING",
);
static BY_KEY: Statement =
    Statement::new("teams.by_key", "SELECT id, name FROM teams WHERE tenant_id = $1 AND key = $2");

pub(crate) static STATEMENTS: &[&Statement] = &[&ADD, &BY_KEY];

fn team(row: &Row<'_>) -> Result<Team> {
    Ok(Team { id: row.id(0)?, name: row.string(1)? })
}

/// The team with this name in any letter case (`key` is its folded form).
pub async fn by_key(db: &Db, tenant: TenantId, key: &str) -> Result<Option<Team>> {
    db.row(&BY_KEY, params![tenant, key], team).await
}

pub async fn by_key_in(tx: &mut Tx<'_>, tenant: TenantId, key: &str) -> Result<Option<Team>> {
    tx.row(&BY_KEY, params![tenant, key], team).await
}

/// The team with this name, made from `new` when there is none.
pub async fn named(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &Team, at: Timestamp) -> Result<Team> {
    if let Some(known) = by_key_in(tx, tenant, key).await? {
        return Ok(known);
    }
    tx.execute(&ADD, params![tenant, new.id, key, &new.name, at]).await?;
    Ok(by_key_in(tx, tenant, key).await?.unwrap_or_else(|| new.clone()))
}
