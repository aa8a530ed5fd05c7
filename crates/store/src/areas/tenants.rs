//! Tenants.

use const_format::concatcp;
use domain::tenants::Tenant;
use domain::{TenantId, Timestamp};

use crate::columns::{insert_whole, record, select};
use crate::{Db, Params, Result, Statement, Tx, params, read};

static INSERT: Statement = Statement::new(
    "tenants.insert",
    concatcp!(insert_whole!("tenants": Tenant, "updated_at"), " ON CONFLICT (tenant_id) DO NOTHING"),
);
static FIND: Statement = Statement::new("tenants.find", select!(Tenant, " FROM tenants WHERE tenant_id = $1"));
static SET_PLAN: Statement =
    Statement::new("tenants.set_plan", "UPDATE tenants SET plan = $2, updated_at = $3 WHERE tenant_id = $1");
static LIST: Statement = Statement::tenantless(
    "tenants.list",
    "the installation's administrator lists its tenants",
    select!(Tenant, " FROM tenants ORDER BY tenant_id"),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &FIND, &SET_PLAN, &LIST];

record! { Tenant { id: "tenant_id", name, plan, created_at } }

/// False, and inserts nothing, if there is a tenant with this id.
pub async fn insert(tx: &mut Tx<'_>, new: &Tenant) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::default().and(new).with(new.created_at)).await? == 1)
}

pub async fn find(db: &Db, id: TenantId) -> Result<Option<Tenant>> {
    db.row(&FIND, params![id], read).await
}

pub async fn set_plan(tx: &mut Tx<'_>, id: TenantId, plan: &str, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&SET_PLAN, params![id, plan, now]).await? == 1)
}

pub async fn list(db: &Db) -> Result<Vec<Tenant>> {
    db.rows(&LIST, &[], read).await
}
