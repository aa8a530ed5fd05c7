//! What waits in the queues of a tenant, counted up to a limit: the cost does not grow with a queue.

use domain::delivery::consumers::ConsumerGroup;
use domain::{ChannelId, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Result, params, read};

statements! {
    OUTBOX = select!(
        Waiting,
        " FROM (SELECT due_at AS at FROM outbox WHERE tenant_id = $1 AND channel_id = $2 AND priority = $3
                AND due_at <= $4 ORDER BY due_at LIMIT $5) first_ones"
    );
    INBOUND = select!(
        Waiting,
        " FROM (SELECT received_at AS at FROM inbound_journal WHERE tenant_id = $1 AND channel_id = $2
                ORDER BY received_at, id LIMIT $3) first_ones"
    );
    PARKED = select!(
        Waiting,
        " FROM (SELECT parked_at AS at FROM inbound_parked WHERE tenant_id = $1 ORDER BY id LIMIT $2) first_ones"
    );
    EVENTS =
        select!(Waiting, " FROM (SELECT at FROM events_new WHERE tenant_id = $1 ORDER BY at, id LIMIT $2) first_ones");
    FETCHES = select!(
        Waiting,
        " FROM (SELECT due_at AS at FROM media_fetches WHERE tenant_id = $1 AND channel_id = $2 AND due_at <= $3
                ORDER BY due_at LIMIT $4) first_ones"
    );
    IMPORTS = select!(
        Waiting,
        " FROM (SELECT updated_at AS at FROM imports WHERE tenant_id = $1 AND status = 'queued' LIMIT $2) first_ones"
    );
    /// Events that a group of consumers has not processed, and when the log got its last one.
    CONSUMER = "SELECT l.last - COALESCE(p.position, 0), CASE WHEN l.last > COALESCE(p.position, 0) THEN l.moved_at END
        FROM event_logs l LEFT JOIN consumer_positions p ON p.tenant_id = $1 AND p.consumer = $2
        WHERE l.tenant_id = $1";
}

/// Work that waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Not counted beyond the limit of the query.
    pub count: i64,
    /// Since when the oldest of it waits.
    pub oldest_at: Option<Timestamp>,
}

columns! { Waiting { count: "COUNT(*)", oldest_at: "MIN(at)" } }

impl Waiting {
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { count: self.count + other.count, oldest_at: Timestamp::earlier(self.oldest_at, other.oldest_at) }
    }
}

/// Messages of a channel and urgency that are due.
pub async fn outbox(
    db: &Db,
    tenant: TenantId,
    channel: ChannelId,
    priority: i64,
    now: Timestamp,
    most: i64,
) -> Result<Waiting> {
    Ok(db.row(&OUTBOX, params![tenant, channel, priority, now, most], read).await?.unwrap_or_default())
}

/// Posts of the network that are not processed.
pub async fn inbound(db: &Db, tenant: TenantId, channel: ChannelId, most: i64) -> Result<Waiting> {
    Ok(db.row(&INBOUND, params![tenant, channel, most], read).await?.unwrap_or_default())
}

/// Records of the network that could not be applied.
pub async fn parked(db: &Db, tenant: TenantId, most: i64) -> Result<Waiting> {
    Ok(db.row(&PARKED, params![tenant, most], read).await?.unwrap_or_default())
}

/// Facts without a number.
pub async fn events(db: &Db, tenant: TenantId, most: i64) -> Result<Waiting> {
    Ok(db.row(&EVENTS, params![tenant, most], read).await?.unwrap_or_default())
}

/// Received files of a channel whose fetch is due.
pub async fn fetches(db: &Db, tenant: TenantId, channel: ChannelId, now: Timestamp, most: i64) -> Result<Waiting> {
    Ok(db.row(&FETCHES, params![tenant, channel, now, most], read).await?.unwrap_or_default())
}

/// Uploaded files of contacts that are queued or being applied.
pub async fn imports(db: &Db, tenant: TenantId, most: i64) -> Result<Waiting> {
    Ok(db.row(&IMPORTS, params![tenant, most], read).await?.unwrap_or_default())
}

/// Events that a group of consumers has not processed yet, counted without a limit. `oldest_at` is when the log last got
/// events.
pub async fn consumer(db: &Db, tenant: TenantId, group: ConsumerGroup) -> Result<Waiting> {
    let behind = db.row(&CONSUMER, params![tenant, group.name()], read).await?;
    Ok(behind.map_or_else(Waiting::default, |(count, oldest_at)| Waiting { count, oldest_at }))
}
