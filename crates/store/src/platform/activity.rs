//! Counts of daily activity.

use const_format::concatcp;
use domain::platform::activity::{ActivityCount, ActivityMetric};
use domain::{ChannelId, ConversationId, Id, MessageId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Param, Params, Result, Row, Tx, params, read};

statements! {
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
