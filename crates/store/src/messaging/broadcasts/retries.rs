//! Broadcasts that are to be sent again, until a time, to those whom the network holds back.

use const_format::formatcp;
use domain::base::timers::TimerKind;
use domain::{BroadcastId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::base::timers;
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = insert!("broadcast_retries": BroadcastRetry);
    POSTPONE = "UPDATE broadcast_retries SET due_at = $3 WHERE tenant_id = $1 AND broadcast_id = $2";
    DELETE = "DELETE FROM broadcast_retries WHERE tenant_id = $1 AND broadcast_id = $2";
    FIND = select!(BroadcastRetry, " FROM broadcast_retries WHERE tenant_id = $1 AND broadcast_id = $2");
    WITHOUT_TIMER tenantless "a node that starts looks for retries without a timer in all tenants" = formatcp!(
        "SELECT r.tenant_id, r.broadcast_id, r.due_at FROM broadcast_retries r
         LEFT JOIN timers t ON t.tenant_id = r.tenant_id AND t.kind = '{}' AND t.key = r.broadcast_id
         WHERE t.tenant_id IS NULL",
        TimerKind::BroadcastRetry.name()
    );
}

/// When the next round of a retried broadcast is due. Each round is a broadcast of its own; `broadcast_id` is the
/// latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BroadcastRetry {
    pub broadcast_id: BroadcastId,
    /// Nothing is sent after this time.
    pub until: Timestamp,
    pub due_at: Timestamp,
}

record! { BroadcastRetry { broadcast_id, until: "until_at", due_at } }

/// Stores a retry and sets its timer.
pub async fn add_retry(tx: &mut Tx<'_>, tenant: TenantId, new: &BroadcastRetry) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await?;
    timers::set(tx, tenant, TimerKind::BroadcastRetry, new.broadcast_id, new.due_at).await
}

pub async fn postpone_retry(tx: &mut Tx<'_>, tenant: TenantId, id: BroadcastId, due_at: Timestamp) -> Result<()> {
    tx.execute(&POSTPONE, params![tenant, id, due_at]).await?;
    timers::set(tx, tenant, TimerKind::BroadcastRetry, id, due_at).await
}

/// False when there is no such retry any more: another node has deleted it first. Its timer finds nothing to do.
pub async fn delete_retry(tx: &mut Tx<'_>, tenant: TenantId, id: BroadcastId) -> Result<bool> {
    Ok(tx.execute(&DELETE, params![tenant, id]).await? == 1)
}

pub async fn find_retry(db: &Db, tenant: TenantId, id: BroadcastId) -> Result<Option<BroadcastRetry>> {
    db.row(&FIND, params![tenant, id], read).await
}

/// Reads across tenants: retries that have no timer, because an earlier version set none.
pub async fn retries_without_timer(db: &Db) -> Result<Vec<(TenantId, BroadcastId, Timestamp)>> {
    db.rows(&WITHOUT_TIMER, &[], read).await
}
