//! Messages between a channel and a simulated person, as the network has them.

use const_format::concatcp;
use domain::{ChannelId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

const OF_CHANNEL: &str = " FROM sandbox_messages WHERE tenant_id = $1 AND channel_id = $2 ";

statements! {
    INSERT = concatcp!(insert!("sandbox_messages": Message), " ON CONFLICT DO NOTHING");
    BY_ID = select!(Message, OF_CHANNEL, "AND id = $3");
    LIST = select!(Message, OF_CHANNEL, "AND person = $3 ORDER BY at DESC, id DESC LIMIT $4");
    RECEIVED = select!(
        Message,
        OF_CHANNEL,
        "AND person = $3 AND NOT from_person AND received_at <= $4 ORDER BY at DESC, id DESC LIMIT $5"
    );
    SAID = select!(Message, OF_CHANNEL, "AND person = $3 AND from_person ORDER BY at DESC, id DESC LIMIT $4");
    WAITING = select!(
        Message,
        OF_CHANNEL,
        "AND person = $3 AND at >= $4 AND NOT from_person AND status = 'sent' AND received_at IS NULL ORDER BY at, id"
    );
    LAST_FROM =
        "SELECT at FROM sandbox_messages WHERE tenant_id = $1 AND channel_id = $2 AND person = $3 AND from_person
         ORDER BY at DESC, id DESC LIMIT 1";
    SET_TIMES = "UPDATE sandbox_messages SET received_at = $4, read_at = $5
        WHERE tenant_id = $1 AND channel_id = $2 AND id = $3";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub channel: ChannelId,
    /// The person's position in the tenant's list of people.
    pub person: i64,
    pub at: Timestamp,
    /// The network's id: `wamid.…`.
    pub id: String,
    pub from_person: bool,
    pub kind: String,
    /// The sandbox's JSON of the message.
    pub doc: String,
    pub status: String,
    /// When the message is received, possibly in the future; None if never.
    pub received_at: Option<Timestamp>,
    /// When the message is read, possibly in the future.
    pub read_at: Option<Timestamp>,
}

record! {
    Message { channel: "channel_id", person, at, id, from_person, kind, doc, status, received_at, read_at }
}

/// False if there is a message with this id.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Message) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await? == 1)
}

pub async fn by_id(db: &Db, tenant: TenantId, channel: ChannelId, id: &str) -> Result<Option<Message>> {
    db.row(&BY_ID, params![tenant, channel, id], read).await
}

pub async fn by_id_in(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId, id: &str) -> Result<Option<Message>> {
    tx.row(&BY_ID, params![tenant, channel, id], read).await
}

/// Both sides of one person's conversation over a channel, newest first.
pub async fn list(db: &Db, tenant: TenantId, channel: ChannelId, person: i64, limit: i64) -> Result<Vec<Message>> {
    db.rows(&LIST, params![tenant, channel, person, limit], read).await
}

/// Messages that the person has received by `now`, newest first.
pub async fn received(
    db: &Db,
    tenant: TenantId,
    channel: ChannelId,
    person: i64,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Message>> {
    db.rows(&RECEIVED, params![tenant, channel, person, now, limit], read).await
}

/// Messages that the person wrote, newest first.
pub async fn said(db: &Db, tenant: TenantId, channel: ChannelId, person: i64, limit: i64) -> Result<Vec<Message>> {
    db.rows(&SAID, params![tenant, channel, person, limit], read).await
}

/// Messages since this time that wait for the person's phone to come online, oldest first.
pub async fn waiting(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    person: i64,
    since: Timestamp,
) -> Result<Vec<Message>> {
    tx.rows(&WAITING, params![tenant, channel, person, since], read).await
}

/// Time of the person's last message, which opens the window.
pub async fn last_from(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    person: i64,
) -> Result<Option<Timestamp>> {
    tx.row(&LAST_FROM, params![tenant, channel, person], read).await
}

/// Replaces the planned times of receiving and reading.
pub async fn set_times(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    id: &str,
    received_at: Option<Timestamp>,
    read_at: Option<Timestamp>,
) -> Result<bool> {
    Ok(tx.execute(&SET_TIMES, params![tenant, channel, id, received_at, read_at]).await? == 1)
}
