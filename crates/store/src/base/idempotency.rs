//! Idempotency keys: the holder of each key, the saved outcome and the answer.
//!
//! A key is free, held by a request, or answered. An operation may also save its outcome in the transaction of its
//! effect, so that a later holder of the key finds it when the first one was lost before it saved the answer. See
//! `app/src/base/idempotency/mod.rs`.

use domain::{TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Param, Result, Tx, params, read};

use domain::base::idempotency::{Answer, Fingerprint};

statements! {
    /// Acquires a key that is new, expired, released without an answer, or whose holder is lost. The outcome that an
    /// earlier holder saved stays until the key expires. Only one server has a SQLite file open, so there every holder
    /// of another process is lost.
    ACQUIRE = "INSERT INTO idempotency (tenant_id, credential, operation, key, holder, started_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (tenant_id, credential, operation, key) DO UPDATE
        SET holder = excluded.holder, started_at = excluded.started_at, expires_at = excluded.expires_at,
            outcome = CASE WHEN idempotency.expires_at <= excluded.started_at THEN NULL ELSE idempotency.outcome END,
            fingerprint = CASE WHEN idempotency.expires_at <= excluded.started_at THEN NULL
                               ELSE idempotency.fingerprint END,
            status = NULL, content_type = NULL, answer = NULL
        WHERE idempotency.expires_at <= excluded.started_at
           OR (idempotency.status IS NULL
               AND (idempotency.holder = '' OR idempotency.started_at <= $8
                    {sqlite OR idempotency.holder <> excluded.holder}))";
    FIND_ANSWER = select!(
        Answer,
        " FROM idempotency
         WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4"
    );
    /// Locks the row: another holder of the key waits, and then finds the outcome.
    SAVED_OUTCOME = select!(
        SavedOutcome,
        " FROM idempotency
         WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4 {for_update}"
    );
    SAVE_OUTCOME = "UPDATE idempotency SET outcome = $5, fingerprint = $6
        WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4 AND outcome IS NULL
            AND status IS NULL";
    SAVE_ANSWER =
        "UPDATE idempotency SET fingerprint = COALESCE($7, fingerprint), status = $8, content_type = $9, answer = $10
         WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4
           AND holder = $5 AND started_at = $6 AND status IS NULL
           AND COALESCE(fingerprint = $7, TRUE)";
    DELETE_UNUSED = "DELETE FROM idempotency WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4
          AND holder = $5 AND started_at = $6 AND status IS NULL AND outcome IS NULL";
    RELEASE =
        "UPDATE idempotency SET holder = '' WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4
           AND holder = $5 AND started_at = $6 AND status IS NULL";
    EXPIRED tenantless "the sweep finds expired keys of every tenant" = select!(
        IdempotencyKey,
        " FROM idempotency {indexed_by idempotency_expires} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2"
    );
    /// Does not delete a key that was used again since `EXPIRED` found it.
    SWEEP = "DELETE FROM idempotency WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4
            AND expires_at <= $5";
}

/// A key with its scope: the same text is another key for another credential or operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub tenant: TenantId,
    pub credential: String,
    pub operation: String,
    pub key: String,
}

columns! { IdempotencyKey { tenant: "tenant_id", credential, operation, key } }

/// The process that holds a key, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub name: String,
    pub since: Timestamp,
}

// The first column is NULL until there is an answer; while it is NULL, the whole is read as none.
columns! { Answer { status, fingerprint, content_type, body: "answer" } }

/// What an operation has done, saved in the same transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutcome {
    pub fingerprint: Option<Fingerprint>,
    pub outcome: String,
}

// The first column is NULL until an outcome is saved; while it is NULL, the whole is read as none.
columns! { SavedOutcome { outcome, fingerprint } }

/// Makes `holder` the holder of the key. False while another holder runs, or when there is an answer that has not
/// expired. A holder since `lost` or before is lost, and on SQLite every holder of another process.
pub async fn acquire(
    tx: &mut Tx<'_>,
    of: &IdempotencyKey,
    holder: &Holder,
    lost: Timestamp,
    expires_at: Timestamp,
) -> Result<bool> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key, &holder.name, holder.since, expires_at, lost];
    Ok(tx.execute(&ACQUIRE, row).await? == 1)
}

/// The answer; none while the key has no answer.
pub async fn find_answer(tx: &mut Tx<'_>, of: &IdempotencyKey) -> Result<Option<Answer>> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key];
    Ok(tx.row(&FIND_ANSWER, row, read).await?.flatten())
}

/// The outcome that the operation saved under this key. Locks the key until the transaction ends.
pub async fn saved_outcome(tx: &mut Tx<'_>, of: &IdempotencyKey) -> Result<Option<SavedOutcome>> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key];
    Ok(tx.row(&SAVED_OUTCOME, row, read).await?.flatten())
}

/// Saves the outcome. False when the key has an outcome or an answer already, or no longer exists.
pub async fn save_outcome(tx: &mut Tx<'_>, of: &IdempotencyKey, saved: &SavedOutcome) -> Result<bool> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key, &saved.outcome, saved.fingerprint.as_ref()];
    Ok(tx.execute(&SAVE_OUTCOME, row).await? == 1)
}

/// Saves the answer. False when this holder does not hold the key any more, or the saved outcome is of a request with
/// another fingerprint.
pub async fn save_answer(tx: &mut Tx<'_>, of: &IdempotencyKey, holder: &Holder, answer: &Answer) -> Result<bool> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![
        *tenant,
        credential,
        operation,
        key,
        &holder.name,
        holder.since,
        answer.fingerprint.as_ref(),
        answer.status,
        &answer.content_type,
        &answer.body
    ];
    Ok(tx.execute(&SAVE_ANSWER, row).await? == 1)
}

/// Releases the key without an answer, so that the next request with it may hold it. A key with a saved outcome stays,
/// and that request finds the outcome; any other key is deleted.
pub async fn release(tx: &mut Tx<'_>, of: &IdempotencyKey, holder: &Holder) -> Result<()> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key, &holder.name, holder.since];
    if tx.execute(&DELETE_UNUSED, row).await? == 0 {
        tx.execute(&RELEASE, row).await?;
    }
    Ok(())
}

/// Deletes at most `most` expired keys. Returns how many.
pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp, most: i64) -> Result<u64> {
    let expired: Vec<IdempotencyKey> = tx.rows(&EXPIRED, params![now, most], read).await?;
    let row = |one| {
        let IdempotencyKey { tenant, credential, operation, key }: &IdempotencyKey = one;
        [Param::from(*tenant), credential.into(), operation.into(), key.into(), now.into()]
    };
    tx.execute_set(&SWEEP, expired.iter().map(row)).await
}
