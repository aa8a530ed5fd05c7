//! Tenants.

use domain::tenants::Tenant;
use domain::{TenantId, Timestamp};

use crate::{Db, Result, Row, Statement, Tx, params};

static INSERT: Statement = Statement::new(
    "tenants.insert",
    "INSERT INTO tenants (tenant_id, name, plan, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT (tenant_id) DO NOTHING",
);
static FIND: Statement =
    Statement::new("tenants.find", "SELECT tenant_id, name, plan, created_at FROM tenants WHERE tenant_id = $1");
static SET_PLAN: Statement =
    Statement::new("tenants.set_plan", "UPDATE tenants SET plan = $2, updated_at = $3 WHERE tenant_id = $1");
static LIST: Statement = Statement::tenantless(
    "tenants.list",
    "the installation's administrator lists its tenants",
    "SELECT tenant_id, name, plan, created_at FROM tenants ORDER BY tenant_id",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &FIND, &SET_PLAN, &LIST];

fn tenant(row: &Row<'_>) -> Result<Tenant> {
    Ok(Tenant { id: row.tenant(0)?, name: row.string(1)?, plan: row.string(2)?, created_at: row.time(3)? })
}

/// False when there is one with this id already.
pub async fn insert(tx: &mut Tx<'_>, new: &Tenant) -> Result<bool> {
    let row = params![new.id, &new.name, &new.plan, new.created_at];
    Ok(tx.execute(&INSERT, row).await? == 1)
}

pub async fn find(db: &Db, id: TenantId) -> Result<Option<Tenant>> {
    db.row(&FIND, params![id], tenant).await
}

pub async fn set_plan(tx: &mut Tx<'_>, id: TenantId, plan: &str, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&SET_PLAN, params![id, plan, now]).await? == 1)
}

pub async fn list(db: &Db) -> Result<Vec<Tenant>> {
    db.rows(&LIST, &[], tenant).await
}
