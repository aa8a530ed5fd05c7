//! Webhooks that the sandbox will post, with their due times.

use const_format::concatcp;
use domain::{ChannelId, TenantId, Timestamp};

use crate::base::columns::{insert_whole, record, select};
use crate::{Db, Param, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(insert_whole!("sandbox_due": Due), " ON CONFLICT DO NOTHING");
    LIST_DUE tenantless "the sandbox posts due webhooks across tenants" = select!(
        Due,
        " FROM sandbox_due WHERE due_at <= $1
         ORDER BY due_at, id LIMIT $2"
    );
    NEXT tenantless "the sandbox waits for the next due webhook across tenants" =
        "SELECT due_at, tenant_id FROM sandbox_due WHERE due_at > $1 ORDER BY due_at LIMIT 1";
    LIST = select!(
        Due,
        " FROM sandbox_due WHERE tenant_id = $1 AND channel_id = $2
         ORDER BY due_at, id LIMIT $3"
    );
    DELETE = "DELETE FROM sandbox_due WHERE tenant_id = $1 AND channel_id = $2 AND due_at = $3 AND id = $4";
    PUSH_BACK = "UPDATE sandbox_due SET due_at = $5, tries = tries + 1
        WHERE tenant_id = $1 AND channel_id = $2 AND due_at = $3 AND id = $4";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub tenant: TenantId,
    pub channel: ChannelId,
    pub at: Timestamp,
    /// Unique within a channel and due time; orders rows of the same time.
    pub id: String,
    pub tries: i64,
    /// One change of a webhook, as JSON.
    pub doc: String,
}

impl Due {
    fn key(&self) -> [Param<'_>; 4] {
        [self.tenant.into(), self.channel.into(), self.at.into(), (&self.id).into()]
    }
}

record! { Due { tenant: "tenant_id", channel: "channel_id", at: "due_at", id, tries, doc } }

/// Inserts webhooks. One that exists already stays unchanged.
pub async fn insert_many(tx: &mut Tx<'_>, new: &[Due]) -> Result<()> {
    tx.execute_later(&INSERT, new.iter().map(|new| Params::default().and(new))).await
}

/// Reads the due webhooks across tenants, in the order of their due times. They stay until they are deleted or pushed
/// back.
pub async fn list_due(db: &Db, now: Timestamp, limit: i64) -> Result<Vec<Due>> {
    db.rows(&LIST_DUE, params![now, limit], read).await
}

/// The due time of the webhook that is due first.
pub async fn first(db: &Db) -> Result<Option<Timestamp>> {
    db.row(&NEXT, params![i64::MIN], read).await
}

/// The next due time after `now`.
pub async fn next(db: &Db, now: Timestamp) -> Result<Option<Timestamp>> {
    db.row(&NEXT, params![now], read).await
}

/// The waiting webhooks of a channel, in order.
pub async fn list(db: &Db, tenant: TenantId, channel: ChannelId, limit: i64) -> Result<Vec<Due>> {
    db.rows(&LIST, params![tenant, channel, limit], read).await
}

/// Deletes a webhook. False if another node has deleted it or pushed it back.
pub async fn delete(tx: &mut Tx<'_>, due: &Due) -> Result<bool> {
    Ok(tx.execute(&DELETE, &due.key()).await? == 1)
}

/// Deletes webhooks. One that another node has deleted or pushed back stays as it is.
pub async fn delete_many(tx: &mut Tx<'_>, due: &[Due]) -> Result<()> {
    tx.execute_later(&DELETE, due.iter().map(Due::key)).await
}

/// Sets the due time to `at` and adds one to `tries`, even if nothing was posted: the fault `delay` does not move a row
/// again that has a try. False if another node has deleted the row or pushed it back.
pub async fn push_back(tx: &mut Tx<'_>, due: &Due, at: Timestamp) -> Result<bool> {
    let [tenant, channel, from, id] = due.key();
    Ok(tx.execute(&PUSH_BACK, &[tenant, channel, from, id, at.into()]).await? == 1)
}
