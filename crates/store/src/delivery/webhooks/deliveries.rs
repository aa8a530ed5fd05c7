//! Deliveries: one row for each event that was attempted or held at an endpoint, and for each test, with the outcome of
//! the last attempt. Failed attempts also have rows of their own, and so has one that succeeded before a client asked
//! for another.
//!
//! States: `retrying` has a due time; `held` waits for an earlier delivery of its conversation; `parked` was open when
//! its endpoint was taken out of service, and waits for a recovery or a retry by a client; `delivered` and `failed` get
//! no more attempts, unless a client retries them or a recovery retries failed ones. The first three are *open*: with
//! ordered delivery, only the oldest open delivery of a conversation is attempted, except at a client's request.

use std::collections::HashSet;

use const_format::concatcp;
use domain::{ConversationId, DeliveryId, TenantId, Timestamp, WebhookId};

use crate::base::columns::{columns, insert, record, select, state_names};
use crate::{Db, Params, Result, Tx, params, read};

use domain::delivery::webhooks::{AttemptTrace, Delivery, DeliveryState, RecoveryWindow};

const OPEN_STATES: &str = state_names!(DeliveryState::OPEN; 0 1 2);
const RECOVERABLE: &str = state_names!(DeliveryState::RECOVERABLE; 0 1 2 3);

statements! {
    /// A late write from a dispatcher that lost its lease must not undo `delivered`.
    WRITE = concatcp!(
        insert!("webhook_deliveries": Delivery),
        " ON CONFLICT (tenant_id, webhook_id, id) DO UPDATE
         SET state = excluded.state, attempts = excluded.attempts, last_at = excluded.last_at, due_at = excluded.due_at,
             status = excluded.status, latency = excluded.latency, excerpt = excluded.excerpt, trace = excluded.trace,
             asked = excluded.asked, recovery = COALESCE(excluded.recovery, webhook_deliveries.recovery)
         WHERE webhook_deliveries.state <> 'delivered'"
    );
    WRITE_ATTEMPT = concatcp!(insert!("webhook_attempts": FailedAttempt), " ON CONFLICT DO NOTHING");
    KNOWN = "SELECT id FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2 AND id >= $3 AND id <= $4";
    DUE = select!(
        Delivery,
        " FROM webhook_deliveries {indexed_by webhook_deliveries_due}
         WHERE tenant_id = $1 AND webhook_id = $2 AND due_at IS NOT NULL AND due_at <= $3
         ORDER BY due_at LIMIT $4"
    );
    NEXT_DUE = "SELECT due_at FROM webhook_deliveries {indexed_by webhook_deliveries_due}
        WHERE tenant_id = $1 AND webhook_id = $2 AND due_at IS NOT NULL ORDER BY due_at LIMIT 1";
    /// So that the dispatchers of these endpoints can be started.
    ENDPOINTS_WITH_DUE tenantless "reads across tenants: finds endpoints with due retries" =
        "SELECT tenant_id, webhook_id FROM webhook_deliveries {indexed_by webhook_deliveries_due_at}
         WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT $2";
    OPEN_CONVERSATIONS = concatcp!(
        "SELECT DISTINCT conversation_id FROM webhook_deliveries {indexed_by webhook_deliveries_open}
     WHERE tenant_id = $1 AND webhook_id = $2 AND conversation_id IS NOT NULL
         AND state IN (",
        OPEN_STATES,
        ")"
    );
    /// Makes the oldest open delivery of a conversation due, if it is held.
    RELEASE_NEXT = concatcp!(
        "UPDATE webhook_deliveries SET state = 'retrying', due_at = $4
     WHERE tenant_id = $1 AND webhook_id = $2 AND id = (
         SELECT id FROM webhook_deliveries {indexed_by webhook_deliveries_open}
         WHERE tenant_id = $1 AND webhook_id = $2 AND conversation_id = $3 AND state IN (",
        OPEN_STATES,
        ")
         ORDER BY number LIMIT 1) AND state = 'held' RETURNING id"
    );
    IS_OPEN = concatcp!(
        "SELECT 1 FROM webhook_deliveries {indexed_by webhook_deliveries_open}
     WHERE tenant_id = $1 AND webhook_id = $2 AND conversation_id = $3 AND state IN (",
        OPEN_STATES,
        ") LIMIT 1"
    );
    PARK = concatcp!(
        "UPDATE webhook_deliveries {indexed_by webhook_deliveries_open}
     SET state = 'parked', due_at = NULL, asked = NULL
     WHERE tenant_id = $1 AND webhook_id = $2 AND state IN (",
        OPEN_STATES,
        ") AND state <> 'parked'"
    );
    /// Makes deliveries that were not delivered due now, and starts their retry schedule anew.
    RECOVER = concatcp!(
        "UPDATE webhook_deliveries {indexed_by webhook_deliveries_undelivered}
     SET state = 'retrying', due_at = $5, first_at = $5, recovery = $5, asked = ",
        REOPENED,
        IN_WINDOW
    );
    /// `RECOVER` with ordered delivery: deliveries of a conversation become held; `RELEASE_OLDEST` then makes the first
    /// of each conversation due.
    RECOVER_IN_ORDER = concatcp!(
        "UPDATE webhook_deliveries {indexed_by webhook_deliveries_undelivered}
     SET state = CASE WHEN conversation_id IS NULL THEN 'retrying' ELSE 'held' END,
         due_at = CASE WHEN conversation_id IS NULL THEN CAST($5 AS BIGINT) END, first_at = $5, recovery = $5, asked = ",
        REOPENED,
        IN_WINDOW
    );
    COUNT_RECOVERABLE =
        concatcp!("SELECT COUNT(*) FROM webhook_deliveries {indexed_by webhook_deliveries_undelivered}", IN_WINDOW);
    GIVE_UP_PARKED = concatcp!(
        "UPDATE webhook_deliveries {indexed_by webhook_deliveries_open} SET state = 'failed', due_at = NULL",
        PARKED_OUTSIDE
    );
    COUNT_GIVEN_UP =
        concatcp!("SELECT COUNT(*) FROM webhook_deliveries {indexed_by webhook_deliveries_open}", PARKED_OUTSIDE);
    /// Gives up the deliveries that a recovery reopened and no dispatcher has attempted yet.
    CANCEL_REOPENED = "UPDATE webhook_deliveries {indexed_by webhook_deliveries_recovery}
        SET state = 'failed', due_at = NULL, asked = NULL
        WHERE tenant_id = $1 AND webhook_id = $2 AND recovery IS NOT NULL AND recovery = $3 AND asked = 'reopened'";
    RECOVERY_COUNTS = select!(
        RecoveryCounts,
        " FROM webhook_deliveries {indexed_by webhook_deliveries_recovery}
         WHERE tenant_id = $1 AND webhook_id = $2 AND recovery IS NOT NULL AND recovery = $3"
    );
    /// Makes every held delivery due, for an endpoint that no longer asks for ordered delivery.
    RELEASE_HELD = concatcp!(
        "UPDATE webhook_deliveries {indexed_by webhook_deliveries_open} SET state = 'retrying', due_at = $3
     WHERE tenant_id = $1 AND webhook_id = $2 AND state IN (",
        OPEN_STATES,
        ") AND state = 'held'"
    );
    /// Makes the oldest open delivery of each conversation due, if it is held.
    RELEASE_OLDEST = concatcp!(
        "UPDATE webhook_deliveries {indexed_by webhook_deliveries_open} SET state = 'retrying', due_at = $3
     WHERE tenant_id = $1 AND webhook_id = $2 AND state IN (",
        OPEN_STATES,
        ") AND state = 'held'
         AND NOT EXISTS (
             SELECT 1 FROM webhook_deliveries earlier {indexed_by webhook_deliveries_open}
             WHERE earlier.tenant_id = $1 AND earlier.webhook_id = $2
                 AND earlier.conversation_id = webhook_deliveries.conversation_id
                 AND earlier.number < webhook_deliveries.number AND earlier.state IN (",
        OPEN_STATES,
        "))"
    );
    RETRY = "UPDATE webhook_deliveries SET state = 'retrying', due_at = $4, first_at = $4, asked = 'retry'
        WHERE tenant_id = $1 AND webhook_id = $2 AND id = $3 AND number > 0";
    /// The row of a delivery has its last attempt only: the one that succeeded gets a row of its own, without an error,
    /// before another attempt replaces it.
    SAVE_SUCCESS = "INSERT INTO webhook_attempts
            (tenant_id, webhook_id, delivery_id, attempt, at, status, latency, error, excerpt, trace)
        SELECT tenant_id, webhook_id, id, attempts, last_at, status, COALESCE(latency, 0), '', excerpt, trace
        FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2 AND id = $3 AND state = 'delivered'
        ON CONFLICT DO NOTHING";
    FIND = select!(Delivery, " FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2 AND id = $3");
    LIST = select!(
        Delivery,
        " FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4"
    );
    RECENT = select!(
        RecentDelivery,
        " FROM webhook_deliveries d
         WHERE d.tenant_id = $1 AND d.webhook_id = $2 AND d.id >= $3 AND d.number > 0 ORDER BY d.id DESC LIMIT $4"
    );
    ATTEMPTS = select!(
        FailedAttempt,
        " FROM webhook_attempts WHERE tenant_id = $1 AND webhook_id = $2 AND delivery_id = $3 ORDER BY attempt"
    );
    ERASE = "UPDATE webhook_deliveries SET excerpt = NULL, trace = NULL
        WHERE tenant_id = $1 AND webhook_id = $2 AND id = $3";
    ERASE_ATTEMPTS = "UPDATE webhook_attempts SET excerpt = NULL, trace = NULL
        WHERE tenant_id = $1 AND webhook_id = $2 AND delivery_id = $3";
    SWEEP = "DELETE FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2 AND id IN (
            SELECT id FROM webhook_deliveries
                WHERE tenant_id = $1 AND webhook_id = $2 AND id < $3 ORDER BY id LIMIT $4)";
    SWEEP_ATTEMPTS = "DELETE FROM webhook_attempts WHERE tenant_id = $1 AND webhook_id = $2 AND delivery_id IN (
            SELECT id FROM webhook_deliveries
                WHERE tenant_id = $1 AND webhook_id = $2 AND id < $3 ORDER BY id LIMIT $4)";
}

/// Condition: deliveries of a window that were not delivered. A test (number 0) has no event in the log and cannot be
/// retried.
const IN_WINDOW: &str = concatcp!(
    " WHERE tenant_id = $1 AND webhook_id = $2 AND id >= $3 AND id < $4 AND state <> 'delivered' AND state IN (",
    RECOVERABLE,
    ") AND number > 0"
);
/// The cause of the next attempt: `reopened` for a delivery that had failed or was parked, which becomes `failed` if
/// the recovery is canceled; `recovery` for one that was open anyway, which stays open.
const REOPENED: &str = "CASE WHEN state IN ('parked', 'failed') THEN 'reopened' ELSE 'recovery' END";
/// Condition: parked deliveries of conversations outside of the window. With ordered delivery, a parked delivery that
/// is not recovered would block its conversation for good.
const PARKED_OUTSIDE: &str = concatcp!(
    " WHERE tenant_id = $1 AND webhook_id = $2 AND (id < $3 OR id >= $4) AND conversation_id IS NOT NULL
         AND state IN (",
    OPEN_STATES,
    ") AND state = 'parked'"
);

record! {
    Delivery {
        webhook: "webhook_id",
        id,
        number,
        kind,
        conversation_id,
        state,
        attempts,
        first_at,
        last_at,
        due_at,
        status,
        latency,
        excerpt,
        trace,
        recovery,
        asked,
    }
}

/// Numbers of the deliveries that a recovery has taken up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecoveryCounts {
    pub total: i64,
    pub delivered: i64,
    /// Not attempted since the recovery took them up.
    pub waiting: i64,
}

columns! {
    RecoveryCounts {
        total: "COUNT(*)",
        delivered: "COUNT(CASE WHEN state = 'delivered' THEN 1 END)",
        waiting: "COUNT(asked)",
    }
}

/// The columns of a delivery that a summary needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecentDelivery {
    pub id: DeliveryId,
    pub state: DeliveryState,
    /// Whether the first attempt failed.
    pub failed_at_first: bool,
    /// Duration of the last attempt in microseconds.
    pub latency: Option<i64>,
}

columns! {
    RecentDelivery {
        id: "d.id",
        state: "d.state",
        failed_at_first: "((d.attempts > 1 OR d.state <> 'delivered') AND EXISTS (
             SELECT 1 FROM webhook_attempts a
             WHERE a.tenant_id = $1 AND a.webhook_id = $2 AND a.delivery_id = d.id AND a.attempt = 1
                 AND a.error <> ''))",
        latency: "d.latency",
    }
}

/// An attempt that failed, or one that succeeded before a client asked for another: then the error is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAttempt {
    pub webhook: WebhookId,
    pub delivery: DeliveryId,
    /// The first is 1.
    pub attempt: i64,
    pub at: Timestamp,
    /// HTTP status; none without an answer.
    pub status: Option<i64>,
    /// Duration in microseconds.
    pub latency: i64,
    pub error: String,
    pub excerpt: Option<String>,
    pub trace: Option<AttemptTrace>,
}

record! {
    FailedAttempt { webhook: "webhook_id", delivery: "delivery_id", attempt, at, status, latency, error, excerpt, trace }
}

pub async fn write(tx: &mut Tx<'_>, all: &[(TenantId, Delivery)]) -> Result<()> {
    for distinct in distinct_runs(all) {
        tx.execute_set(&WRITE, distinct.iter().map(|(tenant, one)| Params::for_tenant(*tenant).and(one))).await?;
    }
    Ok(())
}

/// Splits the deliveries, in their order, where one comes again: a statement must not change a row twice.
fn distinct_runs(all: &[(TenantId, Delivery)]) -> Vec<&[(TenantId, Delivery)]> {
    let (mut runs, mut rest) = (Vec::new(), all);
    while !rest.is_empty() {
        let mut seen = HashSet::with_capacity(rest.len());
        let length = rest.iter().take_while(|(tenant, one)| seen.insert((*tenant, one.webhook, one.id))).count();
        let (run, later) = rest.split_at(length);
        runs.push(run);
        rest = later;
    }
    runs
}

pub async fn write_attempts(tx: &mut Tx<'_>, all: &[(TenantId, FailedAttempt)]) -> Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    tx.execute_many(&WRITE_ATTEMPT, all.iter().map(|(tenant, one)| Params::for_tenant(*tenant).and(one)))
        .await
        .map(drop)
}

/// The ids from `first` to `last`, both included, that have a delivery at this endpoint. A delivery has the id of its
/// event.
pub async fn known(
    db: &Db,
    tenant: TenantId,
    webhook: WebhookId,
    first: DeliveryId,
    last: DeliveryId,
) -> Result<Vec<DeliveryId>> {
    db.rows(&KNOWN, params![tenant, webhook, first, last], read).await
}

/// Deliveries that are due, the longest due first.
pub async fn due(db: &Db, tenant: TenantId, webhook: WebhookId, now: Timestamp, limit: i64) -> Result<Vec<Delivery>> {
    db.rows(&DUE, params![tenant, webhook, now, limit], read).await
}

pub async fn next_due(db: &Db, tenant: TenantId, webhook: WebhookId) -> Result<Option<Timestamp>> {
    db.row(&NEXT_DUE, params![tenant, webhook], read).await
}

/// Reads across tenants: the endpoints of the `most` deliveries that have been due longest. An endpoint may be listed
/// several times.
pub async fn endpoints_with_due(db: &Db, now: Timestamp, most: i64) -> Result<Vec<(TenantId, WebhookId)>> {
    db.rows(&ENDPOINTS_WITH_DUE, params![now, most], read).await
}

/// Conversations with an open delivery.
pub async fn open_conversations(db: &Db, tenant: TenantId, webhook: WebhookId) -> Result<Vec<ConversationId>> {
    db.rows(&OPEN_CONVERSATIONS, params![tenant, webhook], read).await
}

/// What a release found in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseOutcome {
    /// A held delivery was released and is due now.
    Released,
    /// The oldest open delivery is not held: it is being retried, or is parked.
    StillOpen,
    NothingOpen,
}

/// Makes the oldest open delivery of a conversation due now, if it is held.
pub async fn release_next(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<ReleaseOutcome> {
    if tx.row(&RELEASE_NEXT, params![tenant, webhook, conversation, now], |_| Ok(())).await?.is_some() {
        return Ok(ReleaseOutcome::Released);
    }
    let open = tx.row(&IS_OPEN, params![tenant, webhook, conversation], |_| Ok(())).await?;
    Ok(if open.is_some() { ReleaseOutcome::StillOpen } else { ReleaseOutcome::NothingOpen })
}

/// Parks every open delivery of an endpoint that is taken out of service. Returns how many were not parked before.
pub async fn park(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId) -> Result<u64> {
    tx.execute(&PARK, params![tenant, webhook]).await
}

/// Makes every delivery of the window that was not delivered (retrying, held, parked or failed) due now, except tests,
/// and marks it with the start of the recovery. Returns how many.
pub async fn recover(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    window: RecoveryWindow,
    now: Timestamp,
) -> Result<u64> {
    tx.execute(&RECOVER, params![tenant, webhook, window.first_id(), window.end_id(), now]).await
}

/// `recover` with ordered delivery: of each conversation the oldest is due now, the others are held. Parked deliveries
/// of conversations outside of the window are given up, so that they block nothing. Returns how many deliveries are due
/// or held, and how many were given up.
pub async fn recover_in_order(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    window: RecoveryWindow,
    now: Timestamp,
) -> Result<(u64, u64)> {
    let (first, end) = (window.first_id(), window.end_id());
    let given_up = tx.execute(&GIVE_UP_PARKED, params![tenant, webhook, first, end]).await?;
    let retried = tx.execute(&RECOVER_IN_ORDER, params![tenant, webhook, first, end, now]).await?;
    release_oldest(tx, tenant, webhook, now).await?;
    Ok((retried, given_up))
}

/// How many deliveries a recovery of this window would retry. Reads every delivery of the window that was not
/// delivered.
pub async fn count_recoverable(db: &Db, tenant: TenantId, webhook: WebhookId, window: RecoveryWindow) -> Result<i64> {
    let bounds = params![tenant, webhook, window.first_id(), window.end_id()];
    Ok(db.long_row(&COUNT_RECOVERABLE, bounds, read).await?.unwrap_or(0))
}

/// How many parked deliveries a recovery of this window with ordered delivery would give up.
pub async fn count_given_up(db: &Db, tenant: TenantId, webhook: WebhookId, window: RecoveryWindow) -> Result<i64> {
    let bounds = params![tenant, webhook, window.first_id(), window.end_id()];
    Ok(db.long_row(&COUNT_GIVEN_UP, bounds, read).await?.unwrap_or(0))
}

/// Gives up the failed and parked deliveries that the recovery made due and no dispatcher has attempted. Deliveries
/// that were open before the recovery stay open.
pub async fn cancel_reopened(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    recovery: Timestamp,
) -> Result<u64> {
    tx.execute(&CANCEL_REOPENED, params![tenant, webhook, recovery]).await
}

/// Counts the deliveries that the recovery has taken up. Reads each of them.
pub async fn recovery_counts(
    db: &Db,
    tenant: TenantId,
    webhook: WebhookId,
    recovery: Timestamp,
) -> Result<RecoveryCounts> {
    Ok(db.long_row(&RECOVERY_COUNTS, params![tenant, webhook, recovery], read).await?.unwrap_or_default())
}

/// Visits the deliveries with ids from `since` on, without tests, newest first, at most `limit`.
pub async fn recent(
    db: &Db,
    tenant: TenantId,
    webhook: WebhookId,
    since: DeliveryId,
    limit: i64,
    visit: &mut (dyn FnMut(RecentDelivery) + Send),
) -> Result<()> {
    let show = |row: &crate::Row<'_>| {
        visit(read(row)?);
        Ok(())
    };
    db.long_each(&RECENT, params![tenant, webhook, since, limit], show).await
}

/// Makes the oldest open delivery of each conversation due now, if it is held.
pub async fn release_oldest(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, now: Timestamp) -> Result<()> {
    tx.execute(&RELEASE_OLDEST, params![tenant, webhook, now]).await.map(drop)
}

/// Makes every held delivery due now.
pub async fn release_held(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, now: Timestamp) -> Result<u64> {
    tx.execute(&RELEASE_HELD, params![tenant, webhook, now]).await
}

/// Gives up the parked deliveries of all conversations: they become `failed`. A client can still retry each.
pub async fn give_up_parked(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId) -> Result<u64> {
    // An empty window: every delivery is outside of it.
    let empty = DeliveryId::from_bytes([0; 12]);
    tx.execute(&GIVE_UP_PARKED, params![tenant, webhook, empty, empty]).await
}

/// Makes a delivery of any state due now, and starts its retry schedule anew. An attempt that succeeded before is kept
/// in a row of its own. False when there is no such delivery, or it was a test.
pub async fn retry(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    id: DeliveryId,
    now: Timestamp,
) -> Result<bool> {
    tx.execute(&SAVE_SUCCESS, params![tenant, webhook, id]).await?;
    Ok(tx.execute(&RETRY, params![tenant, webhook, id, now]).await? == 1)
}

pub async fn find(db: &Db, tenant: TenantId, webhook: WebhookId, id: DeliveryId) -> Result<Option<Delivery>> {
    db.row(&FIND, params![tenant, webhook, id], read).await
}

/// Deliveries before this id, newest first.
pub async fn list(
    db: &Db,
    tenant: TenantId,
    webhook: WebhookId,
    before: DeliveryId,
    limit: i64,
) -> Result<Vec<Delivery>> {
    db.rows(&LIST, params![tenant, webhook, before, limit], read).await
}

/// Failed attempts, and successful ones before the last, in their order.
pub async fn attempts(
    db: &Db,
    tenant: TenantId,
    webhook: WebhookId,
    delivery: DeliveryId,
) -> Result<Vec<FailedAttempt>> {
    db.rows(&ATTEMPTS, params![tenant, webhook, delivery], read).await
}

/// Deletes deliveries of any state before this id with their attempts, the oldest first, at most `most`. Returns how
/// many.
pub async fn sweep(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    before: DeliveryId,
    most: i64,
) -> Result<u64> {
    tx.execute(&SWEEP_ATTEMPTS, params![tenant, webhook, before, most]).await?;
    tx.execute(&SWEEP, params![tenant, webhook, before, most]).await
}

/// Erases what endpoints answered to these deliveries, since an answer may repeat the payload. States and times stay.
pub async fn erase(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, ids: &[DeliveryId]) -> Result<()> {
    for statement in [&ERASE, &ERASE_ATTEMPTS] {
        tx.execute_set(statement, ids.iter().map(|id| Params::for_tenant(tenant).with(webhook).with(*id))).await?;
    }
    Ok(())
}
