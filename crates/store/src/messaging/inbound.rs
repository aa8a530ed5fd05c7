//! The journal of bodies that the network posted and that are not processed yet, and the records that were parked.
//!
//! A hook appends a body before it answers 200. The worker deletes it (`done`) in the transaction that applies its
//! effects, so that a crash neither loses nor repeats them; a record that cannot be applied is parked. Read on:
//! `app/src/messaging/inbound/process.rs`.

use domain::{ChannelId, Id, JournalEntryId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    APPEND = insert!("inbound_journal": JournalEntry, "channel_id");
    NEXT = select!(
        JournalEntry,
        " FROM inbound_journal WHERE tenant_id = $1 AND channel_id = $2
         ORDER BY received_at, id LIMIT $3"
    );
    DONE = "DELETE FROM inbound_journal WHERE tenant_id = $1 AND channel_id = $2 AND received_at = $3 AND id = $4";
    /// The next channel after `($1, $2)` that has journal entries: one step in an index, however many entries a channel
    /// has.
    WAITING tenantless "reads across tenants: the worker finds channels with journal entries" =
        "SELECT tenant_id, channel_id FROM inbound_journal WHERE (tenant_id, channel_id) > ($1, $2)
         ORDER BY tenant_id, channel_id LIMIT 1";
    PARK = insert!("inbound_parked": ParkedRecord);
    PARKED = select!(
        ParkedRecord,
        " FROM inbound_parked
         WHERE tenant_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    );
    UNPARK = "DELETE FROM inbound_parked WHERE tenant_id = $1 AND id = $2 RETURNING channel_id, body";
}

/// A body as the network posted it, or one record of a body that was split or retried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    pub received_at: Timestamp,
    pub id: JournalEntryId,
    pub body: Vec<u8>,
}

record! { JournalEntry { received_at, id, body } }

/// A record, or a whole body, that could not be applied, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedRecord {
    pub id: JournalEntryId,
    pub channel_id: ChannelId,
    pub received_at: Timestamp,
    pub parked_at: Timestamp,
    pub reason: String,
    pub body: Vec<u8>,
}

record! { ParkedRecord { id, channel_id, received_at, parked_at, reason, body } }

pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId, entry: &JournalEntry) -> Result<()> {
    tx.execute(&APPEND, &Params::for_tenant(tenant).and(entry).with(channel)).await.map(drop)
}

/// The oldest entries of a channel, in the order of arrival.
pub async fn next(db: &Db, tenant: TenantId, channel: ChannelId, limit: i64) -> Result<Vec<JournalEntry>> {
    db.rows(&NEXT, params![tenant, channel, limit], read).await
}

/// Deletes a journal entry. False when another node has processed it already.
pub async fn done(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId, entry: &JournalEntry) -> Result<bool> {
    Ok(tx.execute(&DONE, params![tenant, channel, entry.received_at, entry.id]).await? == 1)
}

/// Deletes journal entries and returns their number.
pub async fn done_many(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    entries: &[&JournalEntry],
) -> Result<u64> {
    let row = |entry: &&JournalEntry| Params::for_tenant(tenant).with(channel).with(entry.received_at).with(entry.id);
    tx.execute_set(&DONE, entries.iter().map(row)).await
}

/// The channels that have journal entries.
pub async fn waiting(db: &Db) -> Result<Vec<(TenantId, ChannelId)>> {
    let (mut all, mut last) = (Vec::new(), (TenantId::INSTALLATION, Id::from_bytes([0; 12])));
    while let Some(next) = db.row(&WAITING, params![last.0, last.1], read).await? {
        all.push(next);
        last = next;
    }
    Ok(all)
}

pub async fn park(tx: &mut Tx<'_>, tenant: TenantId, parked: &ParkedRecord) -> Result<()> {
    tx.execute(&PARK, &Params::for_tenant(tenant).and(parked)).await.map(drop)
}

/// Parked records with ids below `before`, newest first.
pub async fn parked(db: &Db, tenant: TenantId, before: JournalEntryId, limit: i64) -> Result<Vec<ParkedRecord>> {
    db.rows(&PARKED, params![tenant, before, limit], read).await
}

/// Removes a parked record and returns its channel and body, for another try.
pub async fn unpark(tx: &mut Tx<'_>, tenant: TenantId, id: JournalEntryId) -> Result<Option<(ChannelId, Vec<u8>)>> {
    tx.row(&UNPARK, params![tenant, id], read).await
}
