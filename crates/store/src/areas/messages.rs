//! Messages of both directions: one row for each, and one for each id of the network.

use domain::messages::{Direction, State};
use domain::{Id, TenantId, Timestamp};

use crate::{Db, Error, Result, Row, Statement, Tx, params};

macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT id, channel_id, contact_id, direction, state, kind, text, content, network_id, context_id, at,
                 created_at, sent_at, delivered_at, read_at, failed_at, error
             FROM messages ",
            $which
        )
    };
}

static INSERT: Statement = Statement::new(
    "messages.insert",
    "INSERT INTO messages (tenant_id, id, channel_id, contact_id, direction, state, kind, text, content, network_id,
         context_id, at, created_at, sent_at, delivered_at, read_at, failed_at, error)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     ON CONFLICT DO NOTHING",
);
/// Two reports about one message follow each other, also where readers do not block writers.
static BY_ID: Statement = Statement::new("messages.by_id", select!("WHERE tenant_id = $1 AND id = $2 {for_update}"));
static BY_NETWORK_ID: Statement = Statement::new(
    "messages.by_network_id",
    select!("WHERE tenant_id = $1 AND channel_id = $2 AND network_id = $3 {for_update}"),
);
static UPDATE: Statement = Statement::new(
    "messages.update",
    "UPDATE messages SET contact_id = $3, state = $4, network_id = $5, sent_at = $6, delivered_at = $7, read_at = $8,
         failed_at = $9, error = $10
     WHERE tenant_id = $1 AND id = $2",
);
static REMOVE: Statement = Statement::new("messages.remove", "DELETE FROM messages WHERE tenant_id = $1 AND id = $2");
static OF_CHANNEL: Statement = Statement::new(
    "messages.of_channel",
    select!("WHERE tenant_id = $1 AND channel_id = $2 AND network_id > $3 ORDER BY network_id LIMIT $4"),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &BY_ID, &BY_NETWORK_ID, &UPDATE, &REMOVE, &OF_CHANNEL];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: Id,
    pub channel_id: Id,
    pub contact_id: Option<Id>,
    pub direction: Direction,
    pub state: State,
    /// The network's word for what it is: `text`, `image`, …
    pub kind: String,
    /// What a person would read of it.
    pub text: Option<String>,
    /// The network's own JSON of it; none of a message that only statuses told of.
    pub content: Option<String>,
    pub network_id: Option<String>,
    /// The network's id of the message that it answers.
    pub context_id: Option<String>,
    /// When it was written, as the network has it.
    pub at: Timestamp,
    pub created_at: Timestamp,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    /// JSON of what went wrong.
    pub error: Option<String>,
}

fn message(row: &Row<'_>) -> Result<Message> {
    Ok(Message {
        id: row.id(0)?,
        channel_id: row.id(1)?,
        contact_id: row.opt_id(2)?,
        direction: row.text(3)?.parse().map_err(|()| Error::Column(3))?,
        state: row.text(4)?.parse().map_err(|()| Error::Column(4))?,
        kind: row.string(5)?,
        text: row.opt_string(6)?,
        content: row.opt_string(7)?,
        network_id: row.opt_string(8)?,
        context_id: row.opt_string(9)?,
        at: row.time(10)?,
        created_at: row.time(11)?,
        sent_at: row.opt_time(12)?,
        delivered_at: row.opt_time(13)?,
        read_at: row.opt_time(14)?,
        failed_at: row.opt_time(15)?,
        error: row.opt_string(16)?,
    })
}

/// False when there is one with its id or its network's id.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Message) -> Result<bool> {
    let row = params![
        tenant,
        new.id,
        new.channel_id,
        new.contact_id,
        new.direction.name(),
        new.state.name(),
        &new.kind,
        &new.text,
        &new.content,
        &new.network_id,
        &new.context_id,
        new.at,
        new.created_at,
        new.sent_at,
        new.delivered_at,
        new.read_at,
        new.failed_at,
        &new.error,
    ];
    Ok(tx.execute(&INSERT, row).await? == 1)
}

/// Held until the transaction ends.
pub async fn by_id(tx: &mut Tx<'_>, tenant: TenantId, id: Id) -> Result<Option<Message>> {
    tx.row(&BY_ID, params![tenant, id], message).await
}

/// Held until the transaction ends.
pub async fn by_network_id(tx: &mut Tx<'_>, tenant: TenantId, channel: Id, id: &str) -> Result<Option<Message>> {
    tx.row(&BY_NETWORK_ID, params![tenant, channel, id], message).await
}

/// Writes what reports change: state, times, error, whom it was to, the network's id.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Message) -> Result<()> {
    let row = params![
        tenant,
        changed.id,
        changed.contact_id,
        changed.state.name(),
        &changed.network_id,
        changed.sent_at,
        changed.delivered_at,
        changed.read_at,
        changed.failed_at,
        &changed.error,
    ];
    tx.execute(&UPDATE, row).await.map(drop)
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: Id) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

/// A channel's messages by the network's id, those after `after`.
pub async fn of_channel(db: &Db, tenant: TenantId, channel: Id, after: &str, limit: i64) -> Result<Vec<Message>> {
    db.rows(&OF_CHANNEL, params![tenant, channel, after, limit], message).await
}
