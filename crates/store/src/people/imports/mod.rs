//! Imports: their state and lease, the pieces of the uploaded file, and the result of each row.

mod pieces;
mod results;

pub use pieces::{add_piece, drop_some_pieces, piece};
pub use results::{Reject, add_results, drop_results, drop_some_rejects, rejects, verdicts};

use const_format::concatcp;
use domain::{ImportId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select, state_names};
use crate::{Db, Params, Result, Tx, params, read};

use domain::people::consent_values::ConsentColumn;
use domain::people::imports::{Import, ImportCounts, ImportStatus};

const LEASABLE: &str = state_names!(ImportStatus::LEASABLE; 0 1);

statements! {
    with pieces::statements(), results::statements();

    INSERT = insert!("imports": Import, "updated_at");
    BY_ID = select!(Import as "i", " FROM imports i WHERE i.tenant_id = $1 AND i.id = $2");
    LATEST = select!(Import as "i",
        " FROM imports i WHERE i.tenant_id = $1 AND i.status <> 'uploading' ORDER BY i.id DESC LIMIT $2"
    );
    /// The latest import, by a command, of a file with these bytes that has not ended: it broke off, or a process is
    /// running it now (its lease has not ended). Dry runs and real runs do not find each other.
    UNFINISHED = select!(Import as "i",
        " FROM imports i WHERE i.tenant_id = $1 AND i.status = 'local' AND i.fingerprint = $2 AND i.dry_run = $3
         ORDER BY i.id DESC LIMIT 1"
    );
    NEXT_QUEUED tenantless "workers look for work across tenants" =
        "SELECT tenant_id, id FROM imports
         WHERE status = 'queued' AND leased_until <= $1 ORDER BY leased_until LIMIT 1";
    CLAIM = concatcp!(
        "UPDATE imports SET holder = $3, leased_until = $5, updated_at = $4
     WHERE tenant_id = $1 AND id = $2 AND status IN (",
        LEASABLE,
        ") AND leased_until <= $4"
    );
    SET_LEASE = "UPDATE imports SET leased_until = $4 WHERE tenant_id = $1 AND id = $2 AND holder = $3";
    LOCK_POSITION = concatcp!(
        "SELECT bytes_done FROM imports
     WHERE tenant_id = $1 AND id = $2 AND holder = $3 AND status IN (",
        LEASABLE,
        ") {for_update}"
    );
    FINISH_UPLOAD = "UPDATE imports SET status = $3, format = $4, fingerprint = $5, bytes_total = $6,
            leased_until = $7, updated_at = $7, consent = $8
        WHERE tenant_id = $1 AND id = $2 AND status = 'uploading'";
    SET_CONSENT = "UPDATE imports SET consent = $3 WHERE tenant_id = $1 AND id = $2";
    SET_HEADER = "UPDATE imports SET header = $3, bytes_done = $4 WHERE tenant_id = $1 AND id = $2";
    PROGRESS =
        "UPDATE imports SET bytes_done = $3, rows_done = rows_done + $4, created = created + $5, updated = updated + $6,
             unchanged = unchanged + $7, rejected = rejected + $8, updated_at = $9, leased_until = $10
         WHERE tenant_id = $1 AND id = $2";
    NEXT_UNINDEXED tenantless "workers look for work across tenants" =
        "SELECT tenant_id, id FROM imports
         WHERE unindexed_from IS NOT NULL AND status <> 'queued' AND leased_until <= $1
         ORDER BY leased_until LIMIT 1";
    CLAIM_TO_INDEX = "UPDATE imports SET holder = $3, leased_until = $5
        WHERE tenant_id = $1 AND id = $2 AND leased_until <= $4";
    RESET = "UPDATE imports SET bytes_done = 0, rows_done = 0, created = 0, updated = 0, unchanged = 0, rejected = 0,
            header = NULL WHERE tenant_id = $1 AND id = $2";
    FINISH = "UPDATE imports SET status = $3, error = $4, finished_at = $5, updated_at = $5, leased_until = 0
        WHERE tenant_id = $1 AND id = $2";
    REMOVE = "DELETE FROM imports WHERE tenant_id = $1 AND id = $2";
    COUNT_OPEN = "SELECT COUNT(*) FROM imports WHERE tenant_id = $1 AND finished_at IS NULL";
    OLD tenantless "a sweep across tenants" =
        "SELECT tenant_id, id FROM imports
         WHERE (updated_at < $1 OR (status = 'uploading' AND updated_at < $2)) AND unindexed_from IS NULL LIMIT 100";
}

record! { ImportCounts { rows: "rows_done", created, updated, unchanged, rejected } }

record! {
    Import {
        id,
        status,
        format,
        dry_run,
        fingerprint,
        bytes_total,
        bytes_done,
        counts: ImportCounts,
        header,
        consent,
        error,
        actor,
        holder,
        leased_until,
        started_at,
        finished_at,
    }
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Import) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(new.started_at)).await.map(drop)
}

pub async fn find(db: &Db, tenant: TenantId, id: ImportId) -> Result<Option<Import>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

/// The imports whose upload is complete, newest first.
pub async fn latest(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<Import>> {
    db.rows(&LATEST, params![tenant, limit], read).await
}

pub async fn unfinished(db: &Db, tenant: TenantId, fingerprint: &str, dry_run: bool) -> Result<Option<Import>> {
    db.row(&UNFINISHED, params![tenant, fingerprint, dry_run], read).await
}

/// The uploaded import without a live lease that has waited longest.
pub async fn next_queued(db: &Db, now: Timestamp) -> Result<Option<(TenantId, ImportId)>> {
    db.row(&NEXT_QUEUED, params![now], read).await
}

/// Claims an import until `until`. False if its lease has not run out, it has ended, or its upload is not complete.
pub async fn claim(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ImportId,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&CLAIM, params![tenant, id, holder, now, until]).await? == 1)
}

pub async fn release(tx: &mut Tx<'_>, tenant: TenantId, id: ImportId, holder: &str, now: Timestamp) -> Result<()> {
    tx.execute(&SET_LEASE, params![tenant, id, holder, now]).await.map(drop)
}

/// Extends the lease. False if another process has claimed the import since.
pub async fn renew(tx: &mut Tx<'_>, tenant: TenantId, id: ImportId, holder: &str, until: Timestamp) -> Result<bool> {
    Ok(tx.execute(&SET_LEASE, params![tenant, id, holder, until]).await? == 1)
}

/// An import without a live lease that has left contacts without index terms. Not one that `next_queued` returns: its
/// next holder indexes them first.
pub async fn next_unindexed(db: &Db, now: Timestamp) -> Result<Option<(TenantId, ImportId)>> {
    db.row(&NEXT_UNINDEXED, params![now], read).await
}

/// Claims an import, ended or not, until `until`, to index its contacts. False if its lease has not run out.
pub async fn claim_to_index(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ImportId,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&CLAIM_TO_INDEX, params![tenant, id, holder, now, until]).await? == 1)
}

/// The position in the file, with the row locked until the transaction ends. None if another process has claimed the
/// import since, or it has ended; a lease that has run out without another claim still counts.
pub async fn lock_position(tx: &mut Tx<'_>, tenant: TenantId, id: ImportId, holder: &str) -> Result<Option<i64>> {
    tx.row(&LOCK_POSITION, params![tenant, id, holder], read).await
}

/// The upload is complete: sets format, size, fingerprint and how consent is read, and queues the import.
pub async fn finish_upload(tx: &mut Tx<'_>, tenant: TenantId, import: &Import, now: Timestamp) -> Result<()> {
    let Import { id, status, format, fingerprint, bytes_total, consent, .. } = import;
    let consent = consent.to_text();
    let row = params![tenant, *id, status.name(), format, fingerprint, *bytes_total, now, &consent];
    tx.execute(&FINISH_UPLOAD, row).await.map(drop)
}

/// Stores which values the consent column has had so far.
pub async fn set_consent(tx: &mut Tx<'_>, tenant: TenantId, id: ImportId, consent: &ConsentColumn) -> Result<()> {
    let consent = consent.to_text();
    tx.execute(&SET_CONSENT, params![tenant, id, &consent]).await.map(drop)
}

pub async fn set_header(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ImportId,
    header: Option<&str>,
    bytes_done: i64,
) -> Result<()> {
    tx.execute(&SET_HEADER, params![tenant, id, header, bytes_done]).await.map(drop)
}

/// Adds the counts of a batch, moves the position in the file, and renews the lease.
pub async fn progress(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ImportId,
    bytes_done: i64,
    more: ImportCounts,
    now: Timestamp,
    until: Timestamp,
) -> Result<()> {
    let ImportCounts { rows, created, updated, unchanged, rejected } = more;
    let row = params![tenant, id, bytes_done, rows, created, updated, unchanged, rejected, now, until];
    tx.execute(&PROGRESS, row).await.map(drop)
}

/// Sets the progress of an import back to its start and deletes its results.
pub async fn reset(tx: &mut Tx<'_>, tenant: TenantId, id: ImportId) -> Result<()> {
    tx.execute(&RESET, params![tenant, id]).await?;
    drop_results(tx, tenant, id).await
}

/// Ends the import, successfully or with an error. Its results stay; the caller deletes the pieces of its file.
pub async fn finish(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ImportId,
    error: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let status = if error.is_some() { ImportStatus::Failed } else { ImportStatus::Done };
    tx.execute(&FINISH, params![tenant, id, status.name(), error, now]).await.map(drop)
}

/// Deletes the import with its results. The caller has deleted its pieces, and most of its rejected rows if there are
/// many.
pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: ImportId) -> Result<()> {
    drop_results(tx, tenant, id).await?;
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

/// Up to 100 imports that last changed before `then`, or are uploads that began before `uploads` and are not complete.
/// An import whose contacts lack index terms stays.
pub async fn old(db: &Db, then: Timestamp, uploads: Timestamp) -> Result<Vec<(TenantId, ImportId)>> {
    db.rows(&OLD, params![then, uploads], read).await
}

/// Imports that have not ended.
pub async fn count_open(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT_OPEN, params![tenant], read).await?.unwrap_or(0))
}
