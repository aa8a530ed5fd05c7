//! Tenants.

use const_format::concatcp;
use domain::identity::tenants::Tenant;
use domain::{TenantId, Timestamp};

use crate::base::columns::{insert_whole, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(insert_whole!("tenants": Tenant, "updated_at"), " ON CONFLICT (tenant_id) DO NOTHING");
    FIND = select!(Tenant, " FROM tenants WHERE tenant_id = $1");
    LOCK = "SELECT tenant_id FROM tenants WHERE tenant_id = $1 {for_update}";
    SET_PLAN = "UPDATE tenants SET plan = $2, updated_at = $3 WHERE tenant_id = $1";
    SET_NAME = "UPDATE tenants SET name = $2, updated_at = $3 WHERE tenant_id = $1";
    SUSPEND = "UPDATE tenants SET suspended_at = $2, updated_at = $2 WHERE tenant_id = $1 AND suspended_at IS NULL";
    RESUME =
        "UPDATE tenants SET suspended_at = NULL, updated_at = $2 WHERE tenant_id = $1 AND suspended_at IS NOT NULL";
    LIST tenantless "the installation's administrator lists its tenants" =
        select!(Tenant, " FROM tenants ORDER BY tenant_id");
}

record! { Tenant { id: "tenant_id", name, plan, created_at, suspended_at } }

/// False, and inserts nothing, if there is a tenant with this id.
pub async fn insert(tx: &mut Tx<'_>, new: &Tenant) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::default().and(new).with(new.created_at)).await? == 1)
}

pub async fn find(db: &Db, id: TenantId) -> Result<Option<Tenant>> {
    db.row(&FIND, params![id], read).await
}

/// Makes transactions that count what a tenant has, before they add to it, wait for each other.
pub async fn lock(tx: &mut Tx<'_>, id: TenantId) -> Result<()> {
    tx.row::<TenantId>(&LOCK, params![id], read).await.map(drop)
}

pub async fn set_plan(tx: &mut Tx<'_>, id: TenantId, plan: &str, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&SET_PLAN, params![id, plan, now]).await? == 1)
}

pub async fn set_name(tx: &mut Tx<'_>, id: TenantId, name: &str, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&SET_NAME, params![id, name, now]).await? == 1)
}

/// False if there is no such tenant, or it is suspended already.
pub async fn suspend(tx: &mut Tx<'_>, id: TenantId, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&SUSPEND, params![id, now]).await? == 1)
}

/// False if there is no such tenant, or it is not suspended.
pub async fn resume(tx: &mut Tx<'_>, id: TenantId, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&RESUME, params![id, now]).await? == 1)
}

pub async fn list(db: &Db) -> Result<Vec<Tenant>> {
    db.rows(&LIST, &[], read).await
}
