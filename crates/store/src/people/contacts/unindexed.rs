//! Contacts that an import has inserted without their index terms, on SQLite, where the import writes the terms of
//! thousands of contacts together.
//!
//! `imports.unindexed_from` is set in the transaction that inserts the first of them, and removed when all terms are
//! written. Invariants, also after a crash at any point:
//! - A contact with an id below every such mark of its tenant has all of its terms. Readers of the index use it up to
//!   the mark, and read the contacts from there on one by one (`unindexed_from`).
//! - No contact has a term that does not fit it. A change to a contact from the mark on writes all of its terms, and
//!   notes it in `import_indexed` (`take_over`): the import, which may have read the contact before, skips it.
//!
//! PostgreSQL has no marks. There, terms are written with their contact.

use std::collections::HashSet;

use domain::people::contacts::Term;
use domain::{ContactId, ImportId, TenantId};

use super::terms;
use crate::{Db, Engine, Result, Tx, params, read};

statements! {
    FIRST = "SELECT unindexed_from FROM imports WHERE tenant_id = $1 AND unindexed_from IS NOT NULL
        ORDER BY unindexed_from LIMIT 1";
    FIRST_OF = "SELECT unindexed_from FROM imports WHERE tenant_id = $1 AND id = $2";
    MARK = "UPDATE imports SET unindexed_from = $3
        WHERE tenant_id = $1 AND id = $2 AND (unindexed_from IS NULL OR unindexed_from > $3)";
    CLEAR = "UPDATE imports SET unindexed_from = NULL WHERE tenant_id = $1 AND id = $2 AND holder = $3";
    TAKE_OVER = "INSERT INTO import_indexed (tenant_id, import_id, id)
        SELECT i.tenant_id, i.id, {sqlite $2}{postgres CAST($2 AS BYTEA)} FROM imports i
        WHERE i.tenant_id = $1 AND i.unindexed_from <= $2 ON CONFLICT DO NOTHING";
    TAKEN_OVER = "SELECT id FROM import_indexed WHERE tenant_id = $1 AND import_id = $2";
    FORGET = "DELETE FROM import_indexed WHERE tenant_id = $1 AND import_id = $2";
    RESET tenantless "a backup has all tenants" =
        "UPDATE imports SET unindexed_from = NULL WHERE unindexed_from IS NOT NULL";
}

/// The smallest id of the tenant's contacts that may lack index terms. None if all have theirs.
pub async fn unindexed_from(db: &Db, tenant: TenantId) -> Result<Option<ContactId>> {
    match db.engine() {
        Engine::Sqlite => db.row(&FIRST, params![tenant], read).await,
        Engine::Postgres => Ok(None),
    }
}

/// The same for the contacts of one import.
pub async fn unindexed_of(db: &Db, tenant: TenantId, import: ImportId) -> Result<Option<ContactId>> {
    let found: Option<Option<ContactId>> = db.row(&FIRST_OF, params![tenant, import], read).await?;
    Ok(found.flatten())
}

/// Notes that contacts of the import with this id, or a greater one, may lack their index terms.
pub(super) async fn mark(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId, from: ContactId) -> Result<()> {
    tx.execute(&MARK, params![tenant, import, from]).await.map(drop)
}

/// Notes that the caller changes or deletes a contact, so that an import which has not finished its terms skips it from
/// now on. True at the first note: the index may lack terms of the contact then, and the caller has to write all.
pub(super) async fn take_over(tx: &mut Tx<'_>, tenant: TenantId, id: ContactId) -> Result<bool> {
    Ok(tx.is_sqlite() && tx.execute(&TAKE_OVER, params![tenant, id]).await? > 0)
}

/// Adds terms of contacts that an import inserted without them. Skips contacts that have been changed or deleted since
/// the mark was set.
pub async fn add_terms(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId, rows: &[(Term, ContactId)]) -> Result<()> {
    let taken_over: Vec<ContactId> = tx.rows(&TAKEN_OVER, params![tenant, import], read).await?;
    if taken_over.is_empty() {
        return terms::insert(tx, tenant, rows).await;
    }
    let taken_over: HashSet<ContactId> = taken_over.into_iter().collect();
    let rows: Vec<(Term, ContactId)> = rows.iter().filter(|(_, id)| !taken_over.contains(id)).copied().collect();
    terms::insert(tx, tenant, &rows).await
}

/// All contacts of the import have their index terms. False if another process has claimed the import since.
pub async fn clear_unindexed(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId, holder: &str) -> Result<bool> {
    if tx.execute(&CLEAR, params![tenant, import, holder]).await? == 0 {
        return Ok(false);
    }
    tx.execute(&FORGET, params![tenant, import]).await?;
    Ok(true)
}

/// Removes the marks that a restored backup had: the rebuild of the index writes all terms.
pub(crate) async fn reset_unindexed(tx: &mut Tx<'_>) -> Result<()> {
    tx.execute(&RESET, &[]).await.map(drop)
}
