//! Merges of contacts, each with both contacts as they were before, until it is undone.

use domain::{ContactId, MergeId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Params, Result, Tx, params, read};

use domain::people::contacts::Merge;

statements! {
    INSERT = insert!("contact_merges": Merge);
    FOR_UPDATE = select!(Merge, " FROM contact_merges WHERE tenant_id = $1 AND id = $2 {for_update}");
    OF_CONTACT = select!(Merge, " FROM contact_merges WHERE tenant_id = $1 AND (kept_id = $2 OR merged_id = $2)");
    KEPT_APART = "SELECT 1 FROM contact_merges
        WHERE tenant_id = $1 AND kept_id = $2 AND merged_id = $3 AND undone_at IS NOT NULL LIMIT 1";
    SET_UNDONE = "UPDATE contact_merges SET undone_at = $3, before = '' WHERE tenant_id = $1 AND id = $2";
}

record! { Merge { id, kept_id, merged_id, before, reason, merged_at, undone_at } }

pub async fn insert_merge(tx: &mut Tx<'_>, tenant: TenantId, new: &Merge) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

/// The merge with this id, locked until the transaction ends.
pub async fn merge_for_update(tx: &mut Tx<'_>, tenant: TenantId, id: MergeId) -> Result<Option<Merge>> {
    tx.row(&FOR_UPDATE, params![tenant, id], read).await
}

/// The merges that a contact is part of, oldest first.
pub async fn merges(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<Merge>> {
    let mut all: Vec<Merge> = tx.rows(&OF_CONTACT, params![tenant, contact], read).await?;
    all.sort_unstable_by_key(|merge| merge.id);
    Ok(all)
}

/// True if a merge of these two was undone.
pub async fn kept_apart(tx: &mut Tx<'_>, tenant: TenantId, one: ContactId, other: ContactId) -> Result<bool> {
    for (kept, merged) in [(one, other), (other, one)] {
        if tx.row(&KEPT_APART, params![tenant, kept, merged], |_| Ok(())).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Marks the merge as undone and erases the stored copies of both contacts, which only the undoing needs.
pub async fn set_undone(tx: &mut Tx<'_>, tenant: TenantId, id: MergeId, at: Timestamp) -> Result<()> {
    tx.execute(&SET_UNDONE, params![tenant, id, at]).await.map(drop)
}
