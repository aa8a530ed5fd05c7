//! Labels of tenants.

use const_format::concatcp;
use domain::people::labels::Label;
use domain::{LabelId, TenantId};

use crate::base::columns::{insert, record, select, update};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(insert!("labels": Label, "key"), " ON CONFLICT (tenant_id, key) DO NOTHING");
    UPDATE = update!("labels": Label, "key");
    LIST = select!(Label, " FROM labels WHERE tenant_id = $1 ORDER BY id");
    REMOVE = "DELETE FROM labels WHERE tenant_id = $1 AND id = $2";
}

record! { Label { id, name, color, created_at } }

/// False if there is a label with this name in any letter case (`key` is its folded form).
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &Label) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(key)).await? == 1)
}

/// The caller has checked that no other label has this name.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, key: &str, changed: &Label) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed).with(key)).await.map(drop)
}

/// All labels of a tenant, the oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Label>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Label>> {
    tx.rows(&LIST, params![tenant], read).await
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: LabelId) -> Result<bool> {
    Ok(tx.execute(&REMOVE, params![tenant, id]).await? == 1)
}
