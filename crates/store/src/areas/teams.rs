//! Teams: made when they are first named.

use domain::contacts::Team;
use domain::{TenantId, Timestamp};

use crate::{Result, Statement, Tx, params};

static ADD: Statement = Statement::new(
    "teams.add",
    "INSERT INTO teams (tenant_id, id, key, name, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, key) DO NOTHING",
);
static BY_KEY: Statement =
    Statement::new("teams.by_key", "SELECT id, name FROM teams WHERE tenant_id = $1 AND key = $2");

pub(crate) static STATEMENTS: &[&Statement] = &[&ADD, &BY_KEY];

/// The team with this name in any letter case (`key` is its folded form), made from `new` when there is none.
pub async fn named(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &Team, at: Timestamp) -> Result<Team> {
    let read = |row: &crate::Row<'_>| Ok(Team { id: row.id(0)?, name: row.string(1)? });
    if let Some(known) = tx.row(&BY_KEY, params![tenant, key], read).await? {
        return Ok(known);
    }
    tx.execute(&ADD, params![tenant, new.id, key, &new.name, at]).await?;
    Ok(tx.row(&BY_KEY, params![tenant, key], read).await?.unwrap_or_else(|| new.clone()))
}
