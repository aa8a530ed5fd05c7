//! Idempotency keys: who is at it, and what was answered.

use domain::{TenantId, Timestamp};

use crate::columns::{columns, select};
use crate::{Result, Statement, Tx, params, read};

pub use domain::idempotency::{Answer, Fingerprint};

/// A new key, one of the past, or one whose holder is gone. What a lost holder has done stays bound to the key. A
/// server that has a SQLite file is alone with it: every other holder of a row is gone.
static HOLD: Statement = Statement::new(
    "idempotency.take",
    "INSERT INTO idempotency (tenant_id, credential, operation, key, holder, started_at, expires_at)
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
                 {sqlite OR idempotency.holder <> excluded.holder}))",
);
static FIND_ANSWER: Statement = Statement::new(
    "idempotency.find",
    select!(
        Answer,
        " FROM idempotency
         WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4"
    ),
);
/// Whoever asks is the only one to go on: another one waits, and then sees what was done.
static SAVED_OUTCOME: Statement = Statement::new(
    "idempotency.bound",
    select!(
        SavedOutcome,
        " FROM idempotency
         WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4 {for_update}"
    ),
);
static SAVE_OUTCOME: Statement = Statement::new(
    "idempotency.bind",
    "UPDATE idempotency SET outcome = $5, fingerprint = $6
     WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4 AND outcome IS NULL AND status IS NULL",
);
static SAVE_ANSWER: Statement = Statement::new(
    "idempotency.finish",
    "UPDATE idempotency SET fingerprint = COALESCE($7, fingerprint), status = $8, content_type = $9, answer = $10
     WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4
       AND holder = $5 AND started_at = $6 AND status IS NULL
       AND COALESCE(fingerprint = $7, TRUE)",
);
static FORGET: Statement = Statement::new(
    "idempotency.forget",
    "DELETE FROM idempotency WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4
       AND holder = $5 AND started_at = $6 AND status IS NULL AND outcome IS NULL",
);
static RELEASE: Statement = Statement::new(
    "idempotency.let_go",
    "UPDATE idempotency SET holder = '' WHERE tenant_id = $1 AND credential = $2 AND operation = $3 AND key = $4
       AND holder = $5 AND started_at = $6 AND status IS NULL",
);
static SWEEP: Statement = Statement::tenantless(
    "idempotency.sweep",
    "a sweep of what is past, whoever's it was",
    "DELETE FROM idempotency WHERE (tenant_id, credential, operation, key) IN (
         SELECT tenant_id, credential, operation, key FROM idempotency
         WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 {skip_locked})",
);

pub(crate) static STATEMENTS: &[&Statement] =
    &[&HOLD, &FIND_ANSWER, &SAVED_OUTCOME, &SAVE_OUTCOME, &SAVE_ANSWER, &FORGET, &RELEASE, &SWEEP];

/// What a key belongs to: the same key means something else to another caller or operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub tenant: TenantId,
    pub credential: String,
    pub operation: String,
    pub key: String,
}

/// Who is at it, since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub name: String,
    pub since: Timestamp,
}

// Begins with what is NULL until there is an answer.
columns! { Answer { status, fingerprint, content_type, body: "answer" } }

/// What an operation has done, as it wrote it down beside what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutcome {
    pub fingerprint: Option<Fingerprint>,
    pub outcome: String,
}

// Begins with what is NULL until something is bound.
columns! { SavedOutcome { outcome, fingerprint } }

/// Makes the caller its holder, unless somebody is at it or it was answered. Holders since `lost` are gone.
pub async fn hold(
    tx: &mut Tx<'_>,
    of: &IdempotencyKey,
    holder: &Holder,
    lost: Timestamp,
    expires_at: Timestamp,
) -> Result<bool> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key, &holder.name, holder.since, expires_at, lost];
    Ok(tx.execute(&HOLD, row).await? == 1)
}

/// What was answered; none while somebody is at it.
pub async fn find_answer(tx: &mut Tx<'_>, of: &IdempotencyKey) -> Result<Option<Answer>> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key];
    Ok(tx.row(&FIND_ANSWER, row, read).await?.flatten())
}

/// What the operation has done under this key. Until the transaction's end nobody else binds something to it.
pub async fn saved_outcome(tx: &mut Tx<'_>, of: &IdempotencyKey) -> Result<Option<SavedOutcome>> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key];
    Ok(tx.row(&SAVED_OUTCOME, row, read).await?.flatten())
}

/// False when something was bound or answered already, or nobody holds the key any more.
pub async fn save_outcome(tx: &mut Tx<'_>, of: &IdempotencyKey, saved: &SavedOutcome) -> Result<bool> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key, &saved.outcome, saved.fingerprint.as_ref()];
    Ok(tx.execute(&SAVE_OUTCOME, row).await? == 1)
}

/// Keeps the answer. False when another holder has taken over, or what was done under the key was another request's.
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

/// Gives the key back without an answer: the next one who comes with it runs the operation. What was done stays bound.
pub async fn release(tx: &mut Tx<'_>, of: &IdempotencyKey, holder: &Holder) -> Result<()> {
    let IdempotencyKey { tenant, credential, operation, key } = of;
    let row = params![*tenant, credential, operation, key, &holder.name, holder.since];
    if tx.execute(&FORGET, row).await? == 0 {
        tx.execute(&RELEASE, row).await?;
    }
    Ok(())
}

/// Forgets at most so many keys whose time is over; answers how many.
pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp, most: i64) -> Result<u64> {
    tx.execute(&SWEEP, params![now, most]).await
}
