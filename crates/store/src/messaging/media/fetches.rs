//! Received messages whose file is not stored: when the next attempt to fetch it is due, and why it is not there.
//!
//! The row is written with the message, in one transaction, and deleted with the row that names the stored file, so
//! that a crash loses no file. A worker that claims a row moves `due_at` to the end of its claim: no other worker reads
//! the row before. What the worker writes later counts only while the claim is still its own.

use domain::messaging::messages::FetchFailure;
use domain::{ChannelId, FetchClaimId, MessageId, TenantId, Timestamp};

use crate::base::columns::{columns, insert, listed, record, select};
use crate::{Db, Param, Params, Result, Tx, params, read};

statements! {
    INSERT = const_format::concatcp!(insert!("media_fetches": PendingFetch), " ON CONFLICT DO NOTHING");
    /// The next channel after `($1, $2)` with its earliest attempt: one step in an index, however many rows a channel
    /// has.
    WAITING tenantless "the worker finds channels with files to fetch" =
        "SELECT tenant_id, channel_id, due_at FROM media_fetches {indexed_by media_fetches_due}
         WHERE due_at IS NOT NULL AND (tenant_id, channel_id) > ($1, $2)
         ORDER BY tenant_id, channel_id, due_at LIMIT 1";
    DUE = "SELECT message_id, attempts FROM media_fetches {indexed_by media_fetches_due}
        WHERE tenant_id = $1 AND channel_id = $2 AND due_at IS NOT NULL AND due_at <= $3
        ORDER BY due_at LIMIT $4 {skip_locked}";
    CLAIM = "UPDATE media_fetches SET claim = $3, due_at = $4, attempts = attempts + 1
        WHERE tenant_id = $1 AND message_id = $2";
    RENEW = "UPDATE media_fetches SET due_at = $4 WHERE tenant_id = $1 AND message_id = $2 AND claim = $3";
    RELEASE = "UPDATE media_fetches SET claim = NULL, due_at = $4, attempts = attempts - 1
        WHERE tenant_id = $1 AND message_id = $2 AND claim = $3";
    DONE = "DELETE FROM media_fetches WHERE tenant_id = $1 AND message_id = $2 AND claim = $3";
    FAILED = "UPDATE media_fetches SET claim = NULL, due_at = $4, failure = $5, detail = $6
        WHERE tenant_id = $1 AND message_id = $2 AND claim = $3";
    /// A row that a worker has claimed stays as it is: the attempt is running, or is due again when the claim ends.
    REQUEST = const_format::concatcp!(
        insert!("media_fetches": PendingFetch),
        " ON CONFLICT (tenant_id, message_id) DO UPDATE
          SET due_at = excluded.due_at, attempts = 0, failure = NULL, detail = NULL
          WHERE media_fetches.claim IS NULL"
    );
    SET_ENDED = const_format::concatcp!(
        insert!("media_fetches": PendingFetch),
        " ON CONFLICT (tenant_id, message_id) DO UPDATE
          SET due_at = NULL, claim = NULL, failure = excluded.failure, detail = excluded.detail"
    );
    OF_MESSAGES = select!(
        PendingFetch as "f",
        " FROM {sqlite json_each($2) listed CROSS JOIN media_fetches f
             ON f.tenant_id = $1 AND f.message_id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN media_fetches f ON f.tenant_id = $1 AND f.message_id = decode(listed.value, 'hex')}"
    );
    /// Deletes the rows of messages whose content was erased with the contact, if no attempt is planned.
    SWEEP = "DELETE FROM media_fetches WHERE tenant_id = $1 AND due_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM messages g WHERE g.tenant_id = $1 AND g.id = media_fetches.message_id
                AND g.content IS NOT NULL)";
}

/// The file of a received message that is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFetch {
    pub message_id: MessageId,
    pub channel_id: ChannelId,
    pub attempts: u32,
    /// None: it is fetched only on request.
    pub due_at: Option<Timestamp>,
    /// The attempt that runs, if one does.
    pub claim: Option<FetchClaimId>,
    /// Why the last attempt did not succeed.
    pub failure: Option<FetchFailure>,
    pub detail: Option<String>,
}

record! { PendingFetch { message_id, channel_id, attempts, due_at, claim, failure, detail } }

impl PendingFetch {
    /// A fetch that is due at this time, without an attempt so far.
    pub const fn new(message_id: MessageId, channel_id: ChannelId, at: Timestamp) -> Self {
        Self { message_id, channel_id, attempts: 0, due_at: Some(at), claim: None, failure: None, detail: None }
    }
}

/// A channel with files to fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingChannel {
    pub tenant: TenantId,
    pub channel: ChannelId,
    /// When the earliest attempt is due.
    pub due_at: Timestamp,
}

columns! { WaitingChannel { tenant: "tenant_id", channel: "channel_id", due_at } }

/// An attempt that a worker has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClaimedFetch {
    pub tenant: TenantId,
    pub channel: ChannelId,
    pub message: MessageId,
    pub claim: FetchClaimId,
    /// Number of attempts, this one included.
    pub attempts: u32,
}

impl ClaimedFetch {
    fn key(&self) -> [Param<'static>; 3] {
        [self.tenant.into(), self.message.into(), self.claim.into()]
    }
}

/// Inserts the rows of messages that have none yet.
pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, new: &[PendingFetch]) -> Result<()> {
    tx.execute_many(&INSERT, new.iter().map(|one| Params::for_tenant(tenant).and(one))).await.map(drop)
}

/// Up to `limit` channels with due fetches, in the order of tenant and id.
pub async fn waiting(db: &Db, now: Timestamp, limit: usize) -> Result<Vec<WaitingChannel>> {
    let mut found: Vec<WaitingChannel> = Vec::new();
    let mut after = (TenantId::INSTALLATION, ChannelId::from_bytes([0; 12]));
    while found.len() < limit {
        let Some(next) = db.row(&WAITING, params![after.0, after.1], read::<WaitingChannel>).await? else { break };
        after = (next.tenant, next.channel);
        if next.due_at <= now {
            found.push(next);
        }
    }
    Ok(found)
}

/// Claims due attempts of a channel until `until`, the earliest first.
pub async fn claim(
    tx: &mut Tx<'_>,
    WaitingChannel { tenant, channel, .. }: WaitingChannel,
    claim: FetchClaimId,
    (now, until): (Timestamp, Timestamp),
    limit: i64,
) -> Result<Vec<ClaimedFetch>> {
    let due: Vec<(MessageId, u32)> = tx.rows(&DUE, params![tenant, channel, now, limit], read).await?;
    let row = |(message, _): &(MessageId, u32)| [Param::from(tenant), (*message).into(), claim.into(), until.into()];
    tx.execute_many(&CLAIM, due.iter().map(row).collect::<Vec<_>>()).await?;
    let claimed = |(message, before)| ClaimedFetch { tenant, channel, message, claim, attempts: before + 1 };
    Ok(due.into_iter().map(claimed).collect())
}

/// Extends a claim. False when it is lost.
pub async fn renew(tx: &mut Tx<'_>, claimed: &ClaimedFetch, until: Timestamp) -> Result<bool> {
    let [tenant, message, claim] = claimed.key();
    Ok(tx.execute(&RENEW, &[tenant, message, claim, until.into()]).await? == 1)
}

/// Gives a claim back: the attempt does not count, and is due at this time.
pub async fn release(tx: &mut Tx<'_>, claimed: &ClaimedFetch, at: Timestamp) -> Result<()> {
    let [tenant, message, claim] = claimed.key();
    tx.execute(&RELEASE, &[tenant, message, claim, at.into()]).await.map(drop)
}

/// Deletes the fetch, because the file is stored or does not exist. False when the claim is lost.
pub async fn done(tx: &mut Tx<'_>, claimed: &ClaimedFetch) -> Result<bool> {
    Ok(tx.execute(&DONE, &claimed.key()).await? == 1)
}

/// Saves why the attempt failed, and when the next one is due (`None`: only on request), and ends the claim. Changes
/// nothing when the claim is lost.
pub async fn failed(
    tx: &mut Tx<'_>,
    claimed: &ClaimedFetch,
    next: Option<Timestamp>,
    failure: FetchFailure,
    detail: &str,
) -> Result<()> {
    let [tenant, message, claim] = claimed.key();
    let params = [tenant, message, claim, next.into(), failure.name().into(), detail.into()];
    tx.execute(&FAILED, &params).await.map(drop)
}

/// Makes an attempt due and counts attempts from zero again. Changes nothing while a worker has claimed the fetch.
pub async fn request(tx: &mut Tx<'_>, tenant: TenantId, new: &PendingFetch) -> Result<()> {
    tx.execute(&REQUEST, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

/// Saves why the file is not stored. From now on it is fetched only on request.
pub async fn set_ended(tx: &mut Tx<'_>, tenant: TenantId, ended: &PendingFetch) -> Result<()> {
    tx.execute(&SET_ENDED, &Params::for_tenant(tenant).and(ended)).await.map(drop)
}

pub async fn of_messages(db: &Db, tenant: TenantId, messages: &[MessageId]) -> Result<Vec<PendingFetch>> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&OF_MESSAGES, params![tenant, &listed(messages)], read).await
}

/// Deletes the fetches of messages that have no content any more, if no attempt is planned.
pub async fn sweep(tx: &mut Tx<'_>, tenant: TenantId) -> Result<u64> {
    tx.execute(&SWEEP, params![tenant]).await
}
