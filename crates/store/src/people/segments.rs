//! Segments of contacts.

use const_format::concatcp;
use domain::people::segments::Segment;
use domain::{SegmentId, TenantId};

use crate::base::columns::{insert, record, select, update};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(insert!("segments": Segment, "key"), " ON CONFLICT (tenant_id, key) DO NOTHING");
    UPDATE = update!("segments": Segment, "key");
    LIST = select!(Segment, " FROM segments WHERE tenant_id = $1 ORDER BY id");
    REMOVE = "DELETE FROM segments WHERE tenant_id = $1 AND id = $2";
    COUNT = "SELECT COUNT(*) FROM segments WHERE tenant_id = $1";
}

record! { Segment { id, name, members, created_at } }

/// False, and inserts nothing, if there is a segment with this name in any letter case (`key` is its folded form).
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &Segment) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(key)).await? == 1)
}

/// The caller has checked that no other segment has this name.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, key: &str, changed: &Segment) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed).with(key)).await.map(drop)
}

/// All segments of a tenant, oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Segment>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Segment>> {
    tx.rows(&LIST, params![tenant], read).await
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: SegmentId) -> Result<bool> {
    Ok(tx.execute(&REMOVE, params![tenant, id]).await? == 1)
}

pub async fn count(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT, params![tenant], read).await?.unwrap_or(0))
}

/// Counts the conditions of all segments of a tenant. They are stored as text, so each segment is read; a tenant has
/// few.
pub async fn count_conditions(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    let all = list_in(tx, tenant).await?;
    Ok(i64::try_from(all.iter().map(|segment| segment.members.conditions()).sum::<usize>()).unwrap_or(i64::MAX))
}
