//! Counts of daily activity, and the position up to which the event log of each tenant is counted.
//!
//! Counts and position change in one transaction that locks the position, so every fact is counted once: of two nodes
//! that count at the same time the second one starts where the first one ended.

use const_format::concatcp;
use domain::delivery::events::LoggedFact;
use domain::platform::activity::{ActivityCount, ActivityMetric};
use domain::{ChannelId, ConversationId, Id, MessageId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Param, Params, Result, Row, Tx, params, read};

statements! {
    BEHIND tenantless "reads across tenants: the worker finds logs that are not counted to their end" =
        "SELECT l.tenant_id FROM event_logs l LEFT JOIN activity_positions p ON p.tenant_id = l.tenant_id
         WHERE l.last > COALESCE(p.position, 0)";
    INSERT_POSITION = "INSERT INTO activity_positions (tenant_id, position) VALUES ($1, 0) ON CONFLICT DO NOTHING";
    LOCK_POSITION = "SELECT position FROM activity_positions WHERE tenant_id = $1 {for_update}";
    ADVANCE = "UPDATE activity_positions SET position = $2 WHERE tenant_id = $1";
    ADD = "INSERT INTO daily_activity (tenant_id, day, channel_id, metric, amount) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (tenant_id, day, channel_id, metric)
        DO UPDATE SET amount = daily_activity.amount + excluded.amount";
    READ_DAYS = "SELECT day, channel_id, metric, amount FROM daily_activity
        WHERE tenant_id = $1 AND day >= $2 AND day <= $3
        ORDER BY day, channel_id, metric";
    AWAIT_RESPONSE =
        "INSERT INTO awaiting_responses (tenant_id, conversation_id, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    END_WAIT = "DELETE FROM awaiting_responses WHERE tenant_id = $1 AND conversation_id = $2 RETURNING since";
    ADD_RESPONSE = concatcp!(insert!("first_responses": FirstResponse), " ON CONFLICT DO NOTHING");
    RESPONSES = select!(
        FirstResponse,
        " FROM first_responses WHERE tenant_id = $1 AND at >= $2 AND (at, message_id) < ($3, $4)
         ORDER BY at DESC, message_id DESC LIMIT $5"
    );
}

/// The first response of an operator to a person who waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstResponse {
    pub at: Timestamp,
    pub message_id: MessageId,
    pub conversation_id: ConversationId,
    pub channel_id: Option<ChannelId>,
    /// How long the person waited.
    pub seconds: i64,
}

record! { FirstResponse { at, message_id, conversation_id, channel_id, seconds } }

pub async fn add_response(tx: &mut Tx<'_>, tenant: TenantId, new: &FirstResponse) -> Result<()> {
    tx.execute(&ADD_RESPONSE, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

/// Up to `limit` first responses since `from` that are before the position, newest first.
pub async fn responses(
    db: &Db,
    tenant: TenantId,
    from: Timestamp,
    (at, id): (Timestamp, MessageId),
    limit: i64,
) -> Result<Vec<FirstResponse>> {
    db.rows(&RESPONSES, params![tenant, from, at, id, limit], read).await
}

/// Stored as the channel of counts without a channel: a primary key cannot hold NULL.
const NO_CHANNEL: [u8; 12] = [0; 12];

/// Tenants whose event log has facts that are not counted yet.
pub async fn behind(db: &Db) -> Result<Vec<TenantId>> {
    db.rows(&BEHIND, &[], read).await
}

/// Locks the tenant's position until the transaction ends, and returns up to `limit` facts after it. The first call for
/// a tenant creates the position.
pub async fn uncounted(tx: &mut Tx<'_>, tenant: TenantId, limit: i64) -> Result<Vec<LoggedFact>> {
    tx.execute(&INSERT_POSITION, params![tenant]).await?;
    let position: i64 = tx.row(&LOCK_POSITION, params![tenant], read).await?.unwrap_or(0);
    crate::delivery::events::page_in(tx, tenant, position, limit).await
}

/// Saves that all events up to this number are counted.
pub async fn advance(tx: &mut Tx<'_>, tenant: TenantId, position: i64) -> Result<()> {
    tx.execute(&ADVANCE, params![tenant, position]).await.map(drop)
}

pub async fn add(tx: &mut Tx<'_>, tenant: TenantId, counts: &[ActivityCount]) -> Result<()> {
    let row = |one: &ActivityCount| {
        let channel: ChannelId = one.channel.unwrap_or(Id::from_bytes(NO_CHANNEL));
        [Param::from(tenant), one.day.into(), channel.into(), one.metric.name().into(), one.amount.into()]
    };
    tx.execute_many(&ADD, counts.iter().map(row)).await.map(drop)
}

/// The counts of these days, both included, sorted by day, channel and metric.
pub async fn read_days(db: &Db, tenant: TenantId, (first, last): (i64, i64)) -> Result<Vec<ActivityCount>> {
    let mut all = Vec::new();
    let visit = |row: &Row<'_>| {
        let mut columns = row.columns();
        let (day, channel): (i64, ChannelId) = (columns.take()?, columns.take()?);
        let metric: ActivityMetric = columns.take()?;
        let channel = Some(channel).filter(|id| *id.bytes() != NO_CHANNEL);
        all.push(ActivityCount { day, channel, metric, amount: columns.take()? });
        Ok(())
    };
    db.each(&READ_DAYS, params![tenant, first, last], visit).await?;
    Ok(all)
}

/// Saves since when the person waits for an answer. If the person waits already, the stored time stays.
pub async fn await_response(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: ConversationId,
    since: Timestamp,
) -> Result<()> {
    tx.execute(&AWAIT_RESPONSE, params![tenant, conversation, since]).await.map(drop)
}

/// Deletes the wait of a conversation's person for an answer, and returns since when the person waited.
pub async fn end_wait(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<Option<Timestamp>> {
    tx.row(&END_WAIT, params![tenant, conversation], read).await
}
