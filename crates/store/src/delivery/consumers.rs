//! Positions of the consumers of each event log, and the facts that a handler could not process.
//!
//! The row of a position is locked while a batch is processed: of two nodes that process the same log, the second
//! continues where the first ended.
//!
//! Every log has a position of the projections. Reactions are switched on for a tenant with the row of its position, and
//! off without it; nodes keep in memory for which tenants they are on, and read them again when the epoch of endpoints
//! rises.
//!
//! Read on: `app/src/delivery/consumers/run.rs`.

use const_format::concatcp;
use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::events::LoggedFact;
use domain::{TenantId, Timestamp};

use super::{events, webhooks};
use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    BEHIND tenantless "reads across tenants: a node finds logs that a consumer has not processed to their end" =
        "SELECT l.tenant_id, l.last - COALESCE(p.position, 0) FROM event_logs l
         LEFT JOIN consumer_positions p ON p.tenant_id = l.tenant_id AND p.consumer = $1
         WHERE l.last > COALESCE(p.position, 0)";
    BEHIND_ON tenantless "reads across tenants: a node finds logs of tenants with reactions that are not processed" =
        "SELECT l.tenant_id, l.last - p.position FROM consumer_positions p
         JOIN event_logs l ON l.tenant_id = p.tenant_id WHERE p.consumer = $1 AND l.last > p.position";
    ON tenantless "reads across tenants: a node keeps in memory for which tenants a group is switched on" =
        "SELECT tenant_id FROM consumer_positions WHERE consumer = $1";
    SWITCH_ON = "INSERT INTO consumer_positions (tenant_id, consumer, position)
        VALUES ($1, $2, COALESCE((SELECT last FROM event_logs WHERE tenant_id = $1), 0)) ON CONFLICT DO NOTHING";
    SWITCH_OFF = "DELETE FROM consumer_positions WHERE tenant_id = $1 AND consumer = $2";
    LOCK = "SELECT position FROM consumer_positions WHERE tenant_id = $1 AND consumer = $2 {for_update}";
    INSERT = "INSERT INTO consumer_positions (tenant_id, consumer, position) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    ADVANCE = "UPDATE consumer_positions SET position = $3 WHERE tenant_id = $1 AND consumer = $2";
    POSITIONS = "SELECT position FROM consumer_positions WHERE tenant_id = $1";
    /// The position in a database of an earlier version, which counted activity only.
    FORMER_POSITION = "SELECT position FROM activity_positions WHERE tenant_id = $1";
    /// A node of the earlier version that still runs finds nothing to count.
    RETIRE_FORMER = "UPDATE activity_positions SET position = 9223372036854775807 WHERE tenant_id = $1";
    PARK = concatcp!(insert!("parked_facts": ParkedFact), " ON CONFLICT DO NOTHING");
    PARKED = select!(
        ParkedFact,
        " FROM parked_facts WHERE tenant_id = $1 ORDER BY consumer, number, handler LIMIT $2"
    );
    PARKED_COUNT tenantless "a gauge of the installation" = "SELECT COUNT(tenant_id) FROM parked_facts WHERE consumer = $1";
    UNPARK = "DELETE FROM parked_facts WHERE tenant_id = $1 AND consumer = $2 AND number = $3 AND handler = $4";
    DROP_PARKED = "DELETE FROM parked_facts
        WHERE tenant_id = $1 AND number <= (SELECT dropped FROM event_logs WHERE tenant_id = $1)";
}

/// A fact that a handler could not process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedFact {
    /// The name of a `ConsumerGroup`.
    pub consumer: String,
    /// The number of the fact's last event.
    pub number: i64,
    pub handler: String,
    pub reason: String,
    pub parked_at: Timestamp,
}

record! { ParkedFact { consumer, number, handler, reason, parked_at } }

/// Tenants whose log has facts that the group has not processed, with the number of the log's events after its position.
pub async fn behind(db: &Db, group: ConsumerGroup) -> Result<Vec<(TenantId, i64)>> {
    let statement = match group {
        ConsumerGroup::Projections => &BEHIND,
        ConsumerGroup::Reactions => &BEHIND_ON,
    };
    db.rows(statement, params![group.name()], read).await
}

/// Reads across tenants: those that have a position of the group.
pub async fn switched_on(db: &Db, group: ConsumerGroup) -> Result<Vec<TenantId>> {
    db.rows(&ON, params![group.name()], read).await
}

/// Creates the position of a group at the end of the tenant's log: facts that get their number from now on are
/// processed. Every node hears of it.
pub async fn switch_on(tx: &mut Tx<'_>, tenant: TenantId, group: ConsumerGroup) -> Result<()> {
    tx.execute(&SWITCH_ON, params![tenant, group.name()]).await?;
    webhooks::endpoints_changed(tx).await
}

pub async fn switch_off(tx: &mut Tx<'_>, tenant: TenantId, group: ConsumerGroup) -> Result<()> {
    tx.execute(&SWITCH_OFF, params![tenant, group.name()]).await?;
    webhooks::endpoints_changed(tx).await
}

/// Locks the group's position until the transaction ends, so that no batch is processed meanwhile. None if there is no
/// position.
pub async fn lock(tx: &mut Tx<'_>, tenant: TenantId, group: ConsumerGroup) -> Result<Option<i64>> {
    tx.row(&LOCK, params![tenant, group.name()], read).await
}

/// Locks the group's position until the transaction ends, and returns up to `limit` facts after it. The first call for
/// a tenant creates the position of the projections. Returns no facts for a group that is not switched on.
pub async fn unprocessed(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    group: ConsumerGroup,
    limit: i64,
) -> Result<Vec<LoggedFact>> {
    let position = match (lock(tx, tenant, group).await?, group) {
        (Some(position), _) => position,
        (None, ConsumerGroup::Projections) => create(tx, tenant, group).await?,
        (None, ConsumerGroup::Reactions) => return Ok(Vec::new()),
    };
    events::page_in(tx, tenant, position, limit).await
}

async fn create(tx: &mut Tx<'_>, tenant: TenantId, group: ConsumerGroup) -> Result<i64> {
    let former: Option<i64> = tx.row(&FORMER_POSITION, params![tenant], read).await?;
    tx.execute(&INSERT, params![tenant, group.name(), former.unwrap_or(0)]).await?;
    if former.is_some() {
        tx.execute(&RETIRE_FORMER, params![tenant]).await?;
    }
    // Another transaction may have created it first: then this one waits for it and continues where it ended.
    Ok(lock(tx, tenant, group).await?.unwrap_or(0))
}

/// Saves that the group has processed all events up to this number.
pub async fn advance(tx: &mut Tx<'_>, tenant: TenantId, group: ConsumerGroup, position: i64) -> Result<()> {
    tx.execute(&ADVANCE, params![tenant, group.name(), position]).await.map(drop)
}

/// The number up to which all groups have processed a log. None if no group has begun.
pub async fn least_position(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Option<i64>> {
    let positions: Vec<i64> = tx.rows(&POSITIONS, params![tenant], read).await?;
    Ok(positions.into_iter().min())
}

pub async fn park(tx: &mut Tx<'_>, tenant: TenantId, parked: &ParkedFact) -> Result<()> {
    tx.execute(&PARK, &Params::for_tenant(tenant).and(parked)).await.map(drop)
}

/// Up to `limit` parked facts of a tenant, those of each group in the order of their numbers.
pub async fn parked(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<ParkedFact>> {
    db.rows(&PARKED, params![tenant, limit], read).await
}

/// The number of parked facts of all tenants.
pub async fn parked_count(db: &Db, group: ConsumerGroup) -> Result<i64> {
    Ok(db.row(&PARKED_COUNT, params![group.name()], read).await?.unwrap_or(0))
}

/// False if the fact is not parked any more.
pub async fn unpark(tx: &mut Tx<'_>, tenant: TenantId, parked: &ParkedFact) -> Result<bool> {
    let key = params![tenant, &parked.consumer, parked.number, &parked.handler];
    Ok(tx.execute(&UNPARK, key).await? == 1)
}

/// Deletes what was parked about facts that were dropped from the log.
pub async fn drop_parked(tx: &mut Tx<'_>, tenant: TenantId) -> Result<()> {
    tx.execute(&DROP_PARKED, params![tenant]).await.map(drop)
}
