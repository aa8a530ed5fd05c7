//! Merges of contacts, with what each was before.

use domain::{ContactId, MergeId, TenantId, Timestamp};

use crate::{Result, Row, Statement, Tx, params};

static INSERT: Statement = Statement::new(
    "contact_merges.insert",
    "INSERT INTO contact_merges (tenant_id, id, kept_id, merged_id, before, reason, merged_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)",
);
static ONE: Statement = Statement::new(
    "contact_merges.one",
    "SELECT id, kept_id, merged_id, before, reason, merged_at, undone_at FROM contact_merges
     WHERE tenant_id = $1 AND id = $2 {for_update}",
);
static OF_CONTACT: Statement = Statement::new(
    "contact_merges.of_contact",
    "SELECT id, kept_id, merged_id, before, reason, merged_at, undone_at FROM contact_merges
     WHERE tenant_id = $1 AND (kept_id = $2 OR merged_id = $2)",
);
static APART: Statement = Statement::new(
    "contact_merges.apart",
    "SELECT 1 FROM contact_merges
     WHERE tenant_id = $1 AND kept_id = $2 AND merged_id = $3 AND undone_at IS NOT NULL LIMIT 1",
);
static UNDONE: Statement = Statement::new(
    "contact_merges.undone",
    "UPDATE contact_merges SET undone_at = $3, before = '' WHERE tenant_id = $1 AND id = $2",
);

pub(super) static STATEMENTS: &[&Statement] = &[&INSERT, &ONE, &OF_CONTACT, &APART, &UNDONE];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    pub id: MergeId,
    pub kept_id: ContactId,
    pub merged_id: ContactId,
    /// JSON: both contacts and their identities as they were; nothing once the merge is undone.
    pub before: String,
    pub reason: String,
    pub merged_at: Timestamp,
    pub undone_at: Option<Timestamp>,
}

fn read(row: &Row<'_>) -> Result<Merge> {
    Ok(Merge {
        id: row.id(0)?,
        kept_id: row.id(1)?,
        merged_id: row.id(2)?,
        before: row.string(3)?,
        reason: row.string(4)?,
        merged_at: row.time(5)?,
        undone_at: row.opt_time(6)?,
    })
}

pub async fn insert_merge(tx: &mut Tx<'_>, tenant: TenantId, new: &Merge) -> Result<()> {
    let row = params![tenant, new.id, new.kept_id, new.merged_id, &new.before, &new.reason, new.merged_at];
    tx.execute(&INSERT, row).await.map(drop)
}

/// Held until the transaction ends.
pub async fn merge(tx: &mut Tx<'_>, tenant: TenantId, id: MergeId) -> Result<Option<Merge>> {
    tx.row(&ONE, params![tenant, id], read).await
}

/// Those that a contact has a part in, oldest first.
pub async fn merges(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<Merge>> {
    let mut all = tx.rows(&OF_CONTACT, params![tenant, contact], read).await?;
    all.sort_unstable_by_key(|merge| merge.id);
    Ok(all)
}

/// Did somebody say that these two are not one person?
pub async fn kept_apart(tx: &mut Tx<'_>, tenant: TenantId, one: ContactId, other: ContactId) -> Result<bool> {
    for (kept, merged) in [(one, other), (other, one)] {
        if tx.row(&APART, params![tenant, kept, merged], |_| Ok(())).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What each was goes: nobody asks for it again, and whoever deletes one of them must not leave it behind here.
pub async fn set_undone(tx: &mut Tx<'_>, tenant: TenantId, id: MergeId, at: Timestamp) -> Result<()> {
    tx.execute(&UNDONE, params![tenant, id, at]).await.map(drop)
}
