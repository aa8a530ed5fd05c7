//! Broadcasts that are to be sent again, until a time, to those whom the network holds back.

use const_format::concatcp;
use domain::{BroadcastId, TenantId, Timestamp};

use crate::base::columns::{Columns as _, insert, record};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = insert!("broadcast_retries": BroadcastRetry);
    POSTPONE = "UPDATE broadcast_retries SET due_at = $3 WHERE tenant_id = $1 AND broadcast_id = $2";
    DELETE = "DELETE FROM broadcast_retries WHERE tenant_id = $1 AND broadcast_id = $2";
    DUE tenantless "the worker looks for due retries of all tenants" = concatcp!(
        "SELECT tenant_id, ",
        BroadcastRetry::COLUMNS,
        " FROM broadcast_retries WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
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

pub async fn add_retry(tx: &mut Tx<'_>, tenant: TenantId, new: &BroadcastRetry) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

pub async fn postpone_retry(tx: &mut Tx<'_>, tenant: TenantId, id: BroadcastId, due_at: Timestamp) -> Result<()> {
    tx.execute(&POSTPONE, params![tenant, id, due_at]).await.map(drop)
}

/// False when there is no such retry any more: another node has deleted it first.
pub async fn delete_retry(tx: &mut Tx<'_>, tenant: TenantId, id: BroadcastId) -> Result<bool> {
    Ok(tx.execute(&DELETE, params![tenant, id]).await? == 1)
}

/// Reads across tenants: the retries that are due, the most overdue first.
pub async fn due_retries(db: &Db, now: Timestamp, limit: i64) -> Result<Vec<(TenantId, BroadcastRetry)>> {
    db.rows(&DUE, params![now, limit], read).await
}
