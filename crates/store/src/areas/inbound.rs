//! What the network posted: the journal of bodies that wait to be worked off, and what could not be.

use domain::{ChannelId, Id, JournalEntryId, TenantId, Timestamp};

use crate::columns::{insert, record, select};
use crate::{Db, Params, Result, Statement, Tx, params, read};

static APPEND: Statement = Statement::new("inbound.append", insert!("inbound_journal": Entry, "channel_id"));
static NEXT: Statement = Statement::new(
    "inbound.next",
    select!(
        Entry,
        " FROM inbound_journal WHERE tenant_id = $1 AND channel_id = $2
         ORDER BY received_at, id LIMIT $3"
    ),
);
static DONE: Statement = Statement::new(
    "inbound.done",
    "DELETE FROM inbound_journal WHERE tenant_id = $1 AND channel_id = $2 AND received_at = $3 AND id = $4",
);
/// Leaps from channel to channel: what waits of one is not walked over.
static WAITING: Statement = Statement::tenantless(
    "inbound.waiting",
    "workers look for what is to do, whoever's it is",
    "SELECT tenant_id, channel_id FROM inbound_journal WHERE (tenant_id, channel_id) > ($1, $2)
     ORDER BY tenant_id, channel_id LIMIT 1",
);
static PARK: Statement = Statement::new("inbound.park", insert!("inbound_parked": Parked));
static PARKED: Statement = Statement::new(
    "inbound.parked",
    select!(
        Parked,
        " FROM inbound_parked
         WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    ),
);
static UNPARK: Statement = Statement::new(
    "inbound.unpark",
    "DELETE FROM inbound_parked WHERE tenant_id = $1 AND id = $2 RETURNING channel_id, body",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&APPEND, &NEXT, &DONE, &WAITING, &PARK, &PARKED, &UNPARK];

/// One body as the network posted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub received_at: Timestamp,
    pub id: JournalEntryId,
    pub body: Vec<u8>,
}

record! { Entry { received_at, id, body } }

/// Something that arrived and had no effect, with why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    pub id: JournalEntryId,
    pub channel_id: ChannelId,
    pub received_at: Timestamp,
    pub parked_at: Timestamp,
    pub reason: String,
    pub body: Vec<u8>,
}

record! { Parked { id, channel_id, received_at, parked_at, reason, body } }

pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId, entry: &Entry) -> Result<()> {
    tx.execute(&APPEND, &Params::of(tenant).and(entry).with(channel)).await.map(drop)
}

/// The oldest entries of a channel, in the order of their arrival.
pub async fn next(db: &Db, tenant: TenantId, channel: ChannelId, limit: i64) -> Result<Vec<Entry>> {
    db.rows(&NEXT, params![tenant, channel, limit], read).await
}

/// False when somebody else has worked it off.
pub async fn done(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId, entry: &Entry) -> Result<bool> {
    Ok(tx.execute(&DONE, params![tenant, channel, entry.received_at, entry.id]).await? == 1)
}

/// The channels that have something waiting.
pub async fn waiting(db: &Db) -> Result<Vec<(TenantId, ChannelId)>> {
    let (mut all, mut last) = (Vec::new(), (TenantId::INSTALLATION, Id::from_bytes([0; 12])));
    while let Some(next) = db.row(&WAITING, params![last.0, last.1], read).await? {
        all.push(next);
        last = next;
    }
    Ok(all)
}

pub async fn park(tx: &mut Tx<'_>, tenant: TenantId, parked: &Parked) -> Result<()> {
    tx.execute(&PARK, &Params::of(tenant).and(parked)).await.map(drop)
}

/// Newest first, those before `before`.
pub async fn parked(db: &Db, tenant: TenantId, before: JournalEntryId, limit: i64) -> Result<Vec<Parked>> {
    db.rows(&PARKED, params![tenant, before, limit], read).await
}

/// Takes one out, to be tried again: its channel and its body.
pub async fn unpark(tx: &mut Tx<'_>, tenant: TenantId, id: JournalEntryId) -> Result<Option<(ChannelId, Vec<u8>)>> {
    tx.row(&UNPARK, params![tenant, id], read).await
}
