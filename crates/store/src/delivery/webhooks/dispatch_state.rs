//! The dispatch state of each endpoint: position in the log, health, and the lease of the node that delivers to it.
//!
//! - `position`: every event up to it has a delivery, is not for the endpoint, or is from before the endpoint was
//!   created or last enabled. `reached`: the greatest number that has a delivery, or `position` where that is greater.
//!   Of the events between the two, a new holder looks up which have a delivery.
//! - A node delivers while it is the holder; one that stalls for longer than its lease may still post. `renew`,
//!   `advance` and `release` name the holder in their condition, so the late write of a node that lost the lease
//!   changes nothing. `advance` and `release` never move the position back.
//! - `reset_to` (a client enables the endpoint) ends the lease: the present holder notices at its next
//!   renewal.
//! - After a crash the lease ends by itself, and the next holder goes on from `position`.

use const_format::concatcp;
use domain::delivery::webhooks::{Health, RunningRecovery};
use domain::{TenantId, Timestamp, WebhookId};

use crate::base::columns::{Columns, columns, select};
use crate::{Db, Result, Tx, params, read};

statements! {
    INSERT =
        "INSERT INTO webhook_dispatch_states (tenant_id, webhook_id, position, reached, holder, until, failed_in_a_row)
         VALUES ($1, $2, $3, $3, '', 0, 0) ON CONFLICT DO NOTHING";
    ACQUIRE = concatcp!(
        "UPDATE webhook_dispatch_states SET holder = $3, until = $5
         WHERE tenant_id = $1 AND webhook_id = $2 AND (holder = $3 OR until <= $4)
         RETURNING ",
        DispatchState::COLUMNS
    );
    RENEW =
        "UPDATE webhook_dispatch_states SET until = $4
         WHERE tenant_id = $1 AND webhook_id = $2 AND holder = $3 RETURNING until";
    RELEASE = "UPDATE webhook_dispatch_states SET until = 0,
            position = CASE WHEN position < $4 THEN $4 ELSE position END,
            reached = CASE WHEN reached < $4 THEN $4 ELSE reached END
        WHERE tenant_id = $1 AND webhook_id = $2 AND holder = $3";
    /// Changes nothing when the node has lost the lease, or when the stored position is further.
    ADVANCE =
        "UPDATE webhook_dispatch_states SET position = $4,
             reached = CASE WHEN reached < $5 THEN $5 ELSE reached END, until = $6, failed_in_a_row = $7,
             failing_since = $8, delivered_at = $9, paused_until = $10
         WHERE tenant_id = $1 AND webhook_id = $2 AND holder = $3 AND position <= $4";
    RESET_TO =
        "UPDATE webhook_dispatch_states SET position = $3,
             reached = CASE WHEN reached < $3 THEN $3 ELSE reached END, holder = '', until = 0, failed_in_a_row = 0,
             failing_since = NULL, paused_until = NULL
         WHERE tenant_id = $1 AND webhook_id = $2";
    /// As `RESET_TO`, and saves the recovery.
    BEGIN_RECOVERY =
        "UPDATE webhook_dispatch_states SET position = $3,
             reached = CASE WHEN reached < $3 THEN $3 ELSE reached END, holder = '', until = 0, failed_in_a_row = 0,
             failing_since = NULL, paused_until = NULL, recovery_at = $4, recovery_to = $5, recovery_until = $6,
             recovery_since = $7, recovery_through = $8, recovery_canceled_at = NULL
         WHERE tenant_id = $1 AND webhook_id = $2";
    /// Moves the position past the events that the recovery has not read yet. Ends the lease, because the present
    /// holder still works with the old state.
    CANCEL_RECOVERY =
        "UPDATE webhook_dispatch_states SET
             position = CASE WHEN position < recovery_to THEN recovery_to ELSE position END,
             reached = CASE WHEN reached < recovery_to THEN recovery_to ELSE reached END, holder = '', until = 0,
             recovery_canceled_at = $3
         WHERE tenant_id = $1 AND webhook_id = $2 AND recovery_at IS NOT NULL AND recovery_canceled_at IS NULL";
    RECOVERY =
        select!(StoredRecovery, " FROM webhook_dispatch_states
            WHERE tenant_id = $1 AND webhook_id = $2 AND recovery_at IS NOT NULL");
    STATE = select!(DispatchState, " FROM webhook_dispatch_states WHERE tenant_id = $1 AND webhook_id = $2");
    OF_TENANT = concatcp!(
        "SELECT webhook_id, ",
        DispatchState::COLUMNS,
        " FROM webhook_dispatch_states WHERE tenant_id = $1"
    );
    BEHIND tenantless "a node finds endpoints that are behind their log and have no lease holder" =
        "SELECT s.tenant_id, s.webhook_id FROM webhook_dispatch_states s
         JOIN event_logs e ON e.tenant_id = s.tenant_id WHERE s.position < e.last AND s.until <= $1";
    REMOVE = "DELETE FROM webhook_dispatch_states WHERE tenant_id = $1 AND webhook_id = $2";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DispatchState {
    /// No event up to this number is read from the log any more: it has a delivery or needs none.
    pub position: i64,
    /// The greatest number with a delivery, at least `position`: some events between `position` and it have one.
    pub reached: i64,
    pub health: Health,
    /// The last recovery, even if it has ended or was canceled.
    pub recovery: Option<RunningRecovery>,
}

/// The last recovery of an endpoint, and how far the endpoint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredRecovery {
    pub recovery: RunningRecovery,
    pub since: Timestamp,
    /// Up to this number the log has events of the window.
    pub through: i64,
    pub canceled_at: Option<Timestamp>,
    pub position: i64,
}

columns! { RunningRecovery { started_at: "recovery_at", to: "recovery_to", until: "recovery_until" } }

columns! {
    StoredRecovery {
        recovery: RunningRecovery,
        since: "recovery_since",
        through: "recovery_through",
        canceled_at: "recovery_canceled_at",
        position,
    }
}

columns! { Health { failed_in_a_row, failing_since, delivered_at, paused_until } }

columns! { DispatchState { position, reached, health: Health, recovery: RunningRecovery } }

/// The new state of one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DispatchProgress {
    pub tenant: TenantId,
    pub webhook: WebhookId,
    pub state: DispatchState,
}

/// Inserts the state of a new endpoint. Deliveries begin after `position`.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, position: i64) -> Result<()> {
    tx.execute(&INSERT, params![tenant, webhook, position]).await.map(drop)
}

/// Takes the lease, or extends that of the same node, and returns the state; none while another node holds the lease or
/// when there is no such endpoint.
pub async fn acquire(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<DispatchState>> {
    tx.row(&ACQUIRE, params![tenant, webhook, holder, now, until], read).await
}

/// Extends the lease. False when this node is not the holder any more. A holder whose lease has ended keeps it when no
/// other node has taken it.
pub async fn renew(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    holder: &str,
    until: Timestamp,
) -> Result<bool> {
    let kept = tx.row(&RENEW, params![tenant, webhook, holder, until], |_| Ok(())).await?;
    Ok(kept.is_some())
}

/// Ends the lease and moves the position up to `read`. The caller has nothing in flight, and every event up to `read`
/// has a delivery or needs none.
pub async fn release(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, holder: &str, read: i64) -> Result<()> {
    tx.execute(&RELEASE, params![tenant, webhook, holder, read]).await.map(drop)
}

/// Stores the new states of endpoints whose lease the node still holds, and extends these leases. The states of other
/// endpoints stay as they are.
pub async fn advance(tx: &mut Tx<'_>, holder: &str, until: Timestamp, moved: &[DispatchProgress]) -> Result<()> {
    let row = |one: &DispatchProgress| {
        let (state, health) = (one.state, one.state.health);
        [
            one.tenant.into(),
            one.webhook.into(),
            holder.into(),
            state.position.into(),
            state.reached.into(),
            until.into(),
            health.failed_in_a_row.into(),
            health.failing_since.into(),
            health.delivered_at.into(),
            health.paused_until.into(),
        ]
    };
    tx.execute_set(&ADVANCE, moved.iter().map(row).collect::<Vec<_>>()).await.map(drop)
}

/// Sets the position, which may move it back, clears the failure counts and the pause, and ends the present holder's
/// lease.
pub async fn reset_to(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, position: i64) -> Result<()> {
    tx.execute(&RESET_TO, params![tenant, webhook, position]).await.map(drop)
}

/// Saves the recovery, sets the position, clears the failure counts and the pause, and ends the lease: the present
/// holder would go on without the recovery.
pub async fn begin_recovery(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    webhook: WebhookId,
    begun: &StoredRecovery,
) -> Result<()> {
    let StoredRecovery { recovery, since, through, position, .. } = *begun;
    let row = params![tenant, webhook, position, recovery.started_at, recovery.to, recovery.until, since, through];
    tx.execute(&BEGIN_RECOVERY, row).await.map(drop)
}

/// False when there is no recovery, or it was canceled before.
pub async fn cancel_recovery(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&CANCEL_RECOVERY, params![tenant, webhook, now]).await? == 1)
}

pub async fn recovery(db: &Db, tenant: TenantId, webhook: WebhookId) -> Result<Option<StoredRecovery>> {
    db.row(&RECOVERY, params![tenant, webhook], read).await
}

pub async fn recovery_in(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId) -> Result<Option<StoredRecovery>> {
    tx.row(&RECOVERY, params![tenant, webhook], read).await
}

pub async fn state(db: &Db, tenant: TenantId, webhook: WebhookId) -> Result<Option<DispatchState>> {
    db.row(&STATE, params![tenant, webhook], read).await
}

pub async fn state_in(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId) -> Result<Option<DispatchState>> {
    tx.row(&STATE, params![tenant, webhook], read).await
}

pub async fn of_tenant(db: &Db, tenant: TenantId) -> Result<Vec<(WebhookId, DispatchState)>> {
    db.rows(&OF_TENANT, params![tenant], read).await
}

/// Endpoints, enabled or not, that are behind their log and whose lease has ended.
pub async fn behind(db: &Db, now: Timestamp) -> Result<Vec<(TenantId, WebhookId)>> {
    db.rows(&BEHIND, params![now], read).await
}

pub(super) async fn remove(tx: &mut Tx<'_>, tenant: TenantId, webhook: WebhookId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, webhook]).await.map(drop)
}
