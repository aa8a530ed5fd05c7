//! What went between a channel and a person, as the network has it.

use domain::{ChannelId, TenantId, Timestamp};

use crate::{Db, Result, Row, Statement, Tx, params};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT channel_id, person, at, id, from_person, kind, doc, status, received_at, read_at
             FROM sandbox_messages WHERE tenant_id = $1 AND channel_id = $2 ",
            $rest
        )
    };
}

static INSERT: Statement = Statement::new(
    "sandbox_messages.insert",
    "INSERT INTO sandbox_messages (tenant_id, channel_id, person, at, id, from_person, kind, doc, status, received_at,
         read_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
);
static BY_ID: Statement = Statement::new("sandbox_messages.by_id", select!("AND id = $3"));
static LIST: Statement =
    Statement::new("sandbox_messages.list", select!("AND person = $3 ORDER BY at DESC, id DESC LIMIT $4"));
static RECEIVED: Statement = Statement::new(
    "sandbox_messages.received",
    select!("AND person = $3 AND NOT from_person AND received_at <= $4 ORDER BY at DESC, id DESC LIMIT $5"),
);
static LAST_FROM: Statement = Statement::new(
    "sandbox_messages.last_from",
    "SELECT at FROM sandbox_messages WHERE tenant_id = $1 AND channel_id = $2 AND person = $3 AND from_person
     ORDER BY at DESC, id DESC LIMIT 1",
);
static SET_TIMES: Statement = Statement::new(
    "sandbox_messages.set_times",
    "UPDATE sandbox_messages SET received_at = $4, read_at = $5
     WHERE tenant_id = $1 AND channel_id = $2 AND id = $3",
);

pub(super) static STATEMENTS: &[&Statement] = &[&INSERT, &BY_ID, &LIST, &RECEIVED, &LAST_FROM, &SET_TIMES];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub channel: ChannelId,
    /// The person's position.
    pub person: i64,
    pub at: Timestamp,
    /// The network's id: `wamid.…`.
    pub id: String,
    pub from_person: bool,
    pub kind: String,
    /// JSON, as the sandbox keeps it.
    pub doc: String,
    pub status: String,
    /// When it reaches the other side: may lie in the future, and is absent when it never does.
    pub received_at: Option<Timestamp>,
    /// When it is read: may lie in the future.
    pub read_at: Option<Timestamp>,
}

fn message(row: &Row<'_>) -> Result<Message> {
    Ok(Message {
        channel: row.id(0)?,
        person: row.int(1)?,
        at: row.time(2)?,
        id: row.string(3)?,
        from_person: row.bool(4)?,
        kind: row.string(5)?,
        doc: row.string(6)?,
        status: row.string(7)?,
        received_at: row.opt_time(8)?,
        read_at: row.opt_time(9)?,
    })
}

/// False when there is one with this id.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Message) -> Result<bool> {
    let row = params![
        tenant,
        new.channel,
        new.person,
        new.at,
        &new.id,
        new.from_person,
        &new.kind,
        &new.doc,
        &new.status,
        new.received_at,
        new.read_at
    ];
    Ok(tx.execute(&INSERT, row).await? == 1)
}

pub async fn by_id(db: &Db, tenant: TenantId, channel: ChannelId, id: &str) -> Result<Option<Message>> {
    db.row(&BY_ID, params![tenant, channel, id], message).await
}

pub async fn by_id_in(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId, id: &str) -> Result<Option<Message>> {
    tx.row(&BY_ID, params![tenant, channel, id], message).await
}

/// Both sides of one person's conversation over a channel, newest first.
pub async fn list(db: &Db, tenant: TenantId, channel: ChannelId, person: i64, limit: i64) -> Result<Vec<Message>> {
    db.rows(&LIST, params![tenant, channel, person, limit], message).await
}

/// What has reached the person until `now`, newest first.
pub async fn received(
    db: &Db,
    tenant: TenantId,
    channel: ChannelId,
    person: i64,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Message>> {
    db.rows(&RECEIVED, params![tenant, channel, person, now, limit], message).await
}

/// When the person last wrote: it opens the window.
pub async fn last_from(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    person: i64,
) -> Result<Option<Timestamp>> {
    tx.row(&LAST_FROM, params![tenant, channel, person], |row| row.time(0)).await
}

/// When it is received and read, in place of what was planned.
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
