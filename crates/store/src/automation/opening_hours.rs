//! Schedules of opening hours.

use const_format::concatcp;
use domain::automation::opening_hours::OpeningHours;
use domain::{OpeningHoursId, TenantId};

use crate::base::columns::{insert, record, select, update};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(insert!("opening_hours": OpeningHours, "key"), " ON CONFLICT (tenant_id, key) DO NOTHING");
    UPDATE = update!("opening_hours": OpeningHours, "key");
    LIST = select!(OpeningHours, " FROM opening_hours WHERE tenant_id = $1 ORDER BY id");
    FIND = select!(OpeningHours, " FROM opening_hours WHERE tenant_id = $1 AND id = $2");
    REMOVE = "DELETE FROM opening_hours WHERE tenant_id = $1 AND id = $2";
}

record! { OpeningHours { id, schedule, created_at, updated_at } }

/// False if there is a schedule with this name in any letter case (`key` is its folded form).
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &OpeningHours) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(key)).await? == 1)
}

/// The caller has checked that no other schedule has this name.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, key: &str, changed: &OpeningHours) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed).with(key)).await.map(drop)
}

/// All schedules of a tenant, the oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<OpeningHours>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<OpeningHours>> {
    tx.rows(&LIST, params![tenant], read).await
}

pub async fn find(db: &Db, tenant: TenantId, id: OpeningHoursId) -> Result<Option<OpeningHours>> {
    db.row(&FIND, params![tenant, id], read).await
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: OpeningHoursId) -> Result<bool> {
    Ok(tx.execute(&REMOVE, params![tenant, id]).await? == 1)
}
