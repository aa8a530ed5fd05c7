//! Processing of the journal: applies what the network posted, channel by channel.
//!
//! Invariants:
//! - The effects of a journal entry and the deletion of the entry are one transaction, so an effect happens exactly
//!   once, wherever a crash falls.
//! - Entries of a channel are applied in the order of arrival, by one node at a time: the lease
//!   `inbound/<tenant>/<channel>` of `LEASE_SECONDS` is taken in the same transaction. A node without the lease skips
//!   the channel.
//! - One bad record does not block the others. A body that cannot be parsed, and a record that is unreadable or refused
//!   by its effect, is parked in the transaction of its batch. A batch that fails is applied entry by entry; an entry
//!   that fails is split into its records, each an entry of its own; a record that fails alone is parked with the
//!   reason. While the database is unavailable nothing is parked: the round ends and the worker repeats it.
//! - Entries of a removed channel are parked.
//!
//! Crash: the transaction is rolled back and the entries stay. The next round processes them: on the same node at once,
//! on another node when the lease has ended.
//!
//! Read on: `effects/mod.rs` (what each record does), `channels/src/webhook` (the parser), `workers/src/lib.rs` (when
//! it runs).

use std::panic::catch_unwind;
use std::sync::Arc;

use channels::webhook::{self, Notification, Record};
use domain::messaging::channels::Channel;
use domain::{ChannelId, Id, TenantId, Timestamp};
use store::messaging::inbound::{JournalEntry, ParkedRecord};
use store::{Engine, Tx};

use super::arrival::{Arrival, is_for, lost_race};
use super::bulk::Run;
use super::effects::messages::is_answer;
use super::handlers::RecordHandlers;
use super::{bulk, effects};
use crate::base::tenant_lease::TenantJob;
use crate::messaging::Messaging;
use crate::people::contacts::ContactFollowers;
use crate::{Error, Result};

/// Most entries in one transaction. Most bodies have one record.
const BATCH: i64 = 64;
/// Most records in one transaction: SQLite has one writer, which is busy meanwhile.
const MOST_RECORDS: usize = 256;
/// Lease duration: another node may process the channel this long after the holder's last batch.
const LEASE_SECONDS: i64 = 5;

/// The outcome of one batch of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// All entries that were read are processed.
    Done,
    /// The journal has more entries of the channel.
    More,
    /// Another node holds the lease of the channel.
    NotHolder,
}

/// A journal entry with its records, or why it cannot be parsed.
#[derive(Debug)]
struct PostedBody {
    entry: JournalEntry,
    records: Result<Vec<Record>, String>,
}

#[derive(Debug, Clone)]
struct Batch {
    tenant: TenantId,
    channel: Channel,
    holder: String,
    posted: Vec<Arc<PostedBody>>,
    /// The kind of all records, if they can be applied together.
    kind: Option<RunKind>,
    handlers: RecordHandlers,
    followers: ContactFollowers,
    now: Timestamp,
}

/// Records that `bulk.rs` applies with few statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunKind {
    /// Messages of people, none of which answers another.
    Messages,
    Statuses,
}

#[boxed::futures]
impl Messaging {
    /// Processes the whole journal, one batch of each channel in turn: neither a long queue nor a failure of one
    /// channel delays the others. Returns the first failure when no channel has more entries.
    pub async fn process_inbound(&self, stopped: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let mut failure = None;
        loop {
            let mut more = false;
            for (tenant, channel) in store::messaging::inbound::waiting(self.db()).await? {
                if stopped() {
                    return Ok(());
                }
                match self.process_channel(tenant, channel).await {
                    Ok(progress) => more |= progress == Progress::More,
                    Err(error) => failure = failure.or(Some(error)),
                }
            }
            if !more {
                return failure.map_or(Ok(()), Err);
            }
        }
    }

    async fn process_channel(&self, tenant: TenantId, channel: ChannelId) -> Result<Progress> {
        let entries = store::messaging::inbound::next(self.db(), tenant, channel, BATCH).await?;
        let Some(stored) = store::messaging::channels::find(self.db(), tenant, channel).await? else {
            self.park_entries(tenant, channel, entries, "the channel was removed").await?;
            return Ok(Progress::More);
        };
        let found = entries.len();
        let posted: Vec<_> = entries.into_iter().map(PostedBody::parse).map(Arc::new).collect();
        let mut posted = fit_transaction(posted);
        // Applying records together saves round trips, which SQLite does not have.
        let kind = match self.db().engine() {
            Engine::Sqlite => None,
            Engine::Postgres => keep_alike(&mut posted, &stored.channel),
        };
        let (holder, now) = (self.node_name().to_owned(), self.now());
        let (handlers, followers) = (*self.record_handlers(), *self.people().contact_followers());
        let batch = Batch { tenant, channel: stored.channel, holder, posted, kind, handlers, followers, now };
        if let [huge] = batch.posted.as_slice()
            && huge.record_count() > MOST_RECORDS
        {
            self.split(&batch, huge).await?;
            return Ok(Progress::More);
        }
        // More is left when the read was full, or when the entries have too many records for one transaction.
        let more = i64::try_from(found) == Ok(BATCH) || batch.posted.len() < found;
        let progress = self.process_batch(batch).await?;
        Ok(if progress == Progress::Done && more { Progress::More } else { progress })
    }

    /// Applies a batch in one transaction. If that fails, applies it entry by entry up to the first entry that fails,
    /// which is isolated. If the database is unavailable, returns the error and isolates nothing.
    async fn process_batch(&self, batch: Batch) -> Result<Progress> {
        match self.process_in_one_transaction(batch.clone()).await {
            Ok(progress) => return Ok(progress),
            Err(error @ Error::Store(store::Error::Unavailable(_))) => return Err(error),
            Err(_) => {}
        }
        for posted in &batch.posted {
            let alone = Batch { posted: vec![posted.clone()], kind: None, ..batch.clone() };
            match self.process_in_one_transaction(alone).await {
                Ok(Progress::Done) => {}
                Ok(progress) => return Ok(progress),
                Err(error @ Error::Store(store::Error::Unavailable(_) | store::Error::TryAgain(_))) => {
                    return Err(error);
                }
                Err(error) => {
                    self.isolate(&batch, posted, &error.to_string()).await?;
                    // The entries after this one wait for its parts, to keep the order.
                    return Ok(Progress::More);
                }
            }
        }
        Ok(Progress::Done)
    }

    async fn process_in_one_transaction(&self, batch: Batch) -> Result<Progress> {
        let has_payments = batch.posted.iter().any(|posted| posted.has_payments());
        let has_files = batch.posted.iter().any(|posted| posted.has_files());
        let progress = self.db().write(batch, |tx, batch| Box::pin(apply_batch(tx, batch))).await?;
        if has_payments {
            self.payment_wakeup().wake();
        }
        if has_files {
            self.file_is_announced();
        }
        Ok(progress)
    }

    /// Splits an entry that failed, so that its good records can be applied; parks an entry with one record, with the
    /// reason.
    async fn isolate(&self, batch: &Batch, posted: &PostedBody, reason: &str) -> Result<()> {
        if posted.record_count() > 1 {
            return self.split(batch, posted).await;
        }
        let (tenant, channel) = (batch.tenant, batch.channel.id);
        tracing::error!(%tenant, %channel, reason, "a record from the network cannot be applied; it is parked");
        self.park_entries(tenant, channel, vec![posted.entry.clone()], reason).await
    }

    /// Replaces an entry by one entry for each of its records, with the same time of arrival.
    async fn split(&self, batch: &Batch, posted: &PostedBody) -> Result<()> {
        let part = |record: &Record| JournalEntry {
            body: record.envelope().into_bytes(),
            id: Id::new(batch.now),
            received_at: posted.entry.received_at,
        };
        let parts: Vec<JournalEntry> = posted.records.iter().flatten().map(part).collect();
        let input = (batch.tenant, batch.channel.id, posted.entry.clone(), parts);
        let write = self.db().write(input, |tx, (tenant, channel, entry, parts)| {
            Box::pin(async move {
                if store::messaging::inbound::done(tx, *tenant, *channel, entry).await? {
                    for part in parts {
                        store::messaging::inbound::append(tx, *tenant, *channel, part).await?;
                    }
                }
                Ok::<_, Error>(())
            })
        });
        write.await
    }

    async fn park_entries(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        entries: Vec<JournalEntry>,
        why: &str,
    ) -> Result<()> {
        let input = (tenant, channel, entries, why.to_owned(), self.now());
        let write = self.db().write(input, |tx, (tenant, channel, entries, why, now)| {
            Box::pin(async move {
                for entry in entries {
                    if store::messaging::inbound::done(tx, *tenant, *channel, entry).await? {
                        park(tx, *tenant, *channel, entry, why, entry.body.clone(), *now).await?;
                    }
                }
                Ok::<_, Error>(())
            })
        });
        write.await
    }
}

impl PostedBody {
    /// Parses a body. A panic of the parser affects this body only.
    fn parse(entry: JournalEntry) -> Self {
        let parsed = catch_unwind(|| webhook::parse(&entry.body));
        let records = match parsed {
            Ok(parsed) => parsed.map_err(|unreadable| unreadable.to_string()),
            Err(_) => Err("reading it failed".to_owned()),
        };
        Self { entry, records }
    }

    fn has_payments(&self) -> bool {
        self.records.iter().flatten().any(|record| matches!(record.notification, Notification::Payment(_)))
    }

    /// The kind of all records, if they are for this channel and can be applied together.
    fn kind(&self, channel: &Channel) -> Option<RunKind> {
        let mut kinds = self.records.as_ref().ok()?.iter().map(|record| match &record.notification {
            Notification::Message(message) if !is_answer(message) && is_for(channel, record) => Some(RunKind::Messages),
            Notification::Status(_) if is_for(channel, record) => Some(RunKind::Statuses),
            _ => None,
        });
        let first = kinds.next()??;
        kinds.all(|kind| kind == Some(first)).then_some(first)
    }

    fn has_files(&self) -> bool {
        let has_file =
            |record: &Record| matches!(&record.notification, Notification::Message(one) if one.media.is_some());
        self.records.iter().flatten().any(has_file)
    }

    fn record_count(&self) -> usize {
        self.records.as_ref().map_or(1, Vec::len)
    }
}

/// The first entries that have at most `MOST_RECORDS` records together; at least one.
fn fit_transaction(mut posted: Vec<Arc<PostedBody>>) -> Vec<Arc<PostedBody>> {
    let mut sum = 0;
    let fitting = posted.iter().take_while(|one| {
        sum += one.record_count();
        sum <= MOST_RECORDS
    });
    let fitting = fitting.count().max(1);
    posted.truncate(fitting);
    posted
}

/// Shortens a batch to its first entries of one kind: those that can be applied together, or those that cannot.
fn keep_alike(posted: &mut Vec<Arc<PostedBody>>, channel: &Channel) -> Option<RunKind> {
    let kind = posted.first()?.kind(channel);
    let alike = posted.iter().take_while(|one| one.kind(channel) == kind).count();
    posted.truncate(alike);
    kind.filter(|_| posted.iter().map(|one| one.record_count()).sum::<usize>() > 1)
}

async fn apply_batch(tx: &mut Tx<'_>, batch: &Batch) -> Result<Progress> {
    let lease = TenantJob::Inbound.lease(batch.tenant, batch.channel.id);
    let until = batch.now.plus_seconds(LEASE_SECONDS);
    if store::base::leases::acquire(tx, &lease, &batch.holder, batch.now, until).await?.is_none() {
        return Ok(Progress::NotHolder);
    }
    if let Some(kind) = batch.kind
        && apply_together(tx, batch, kind).await?
    {
        return Ok(Progress::Done);
    }
    for posted in &batch.posted {
        // False when another node has processed the entry since it was read.
        if store::messaging::inbound::done(tx, batch.tenant, batch.channel.id, &posted.entry).await? {
            apply_body(tx, batch, posted).await?;
        }
    }
    Ok(Progress::Done)
}

/// Applies the records of a batch with few statements. Returns false, without writing, when they must be applied one by
/// one.
async fn apply_together(tx: &mut Tx<'_>, batch: &Batch, kind: RunKind) -> Result<bool> {
    let run = Run { tenant: batch.tenant, channel: &batch.channel, now: batch.now };
    let decided = match kind {
        RunKind::Messages => bulk::decide_messages(tx, run, &arrived(batch, message_of)).await?,
        RunKind::Statuses => bulk::decide_statuses(tx, run, &arrived(batch, status_of)).await?,
    };
    let Some((people, effects)) = decided else { return Ok(false) };
    let entries: Vec<&JournalEntry> = batch.posted.iter().map(|posted| &posted.entry).collect();
    let done = store::messaging::inbound::done_many(tx, batch.tenant, batch.channel.id, &entries).await?;
    if done != u64::try_from(entries.len()).unwrap_or(0) {
        // Another node has processed some of the entries since they were read.
        return Err(lost_race());
    }
    bulk::write(tx, run, &people, &effects).await?;
    Ok(true)
}

fn message_of(record: &Record) -> Option<&webhook::Message> {
    match &record.notification {
        Notification::Message(message) => Some(message),
        _ => None,
    }
}

fn status_of(record: &Record) -> Option<&webhook::Status> {
    match &record.notification {
        Notification::Status(status) => Some(status),
        _ => None,
    }
}

/// The messages or statuses of a batch, each with the arrival of its entry.
fn arrived<'b, T>(batch: &'b Batch, of: impl Fn(&'b Record) -> Option<&'b T>) -> Vec<(Arrival<'b>, &'b T)> {
    let of_entry = |posted: &'b Arc<PostedBody>| {
        let arrival = Arrival {
            tenant: batch.tenant,
            channel: &batch.channel,
            received_at: posted.entry.received_at,
            now: batch.now,
            followers: batch.followers,
        };
        posted.records.iter().flatten().map(move |record| (arrival, record))
    };
    let records = batch.posted.iter().flat_map(of_entry);
    records.filter_map(|(arrival, record)| Some((arrival, of(record)?))).collect()
}

async fn apply_body(tx: &mut Tx<'_>, batch: &Batch, posted: &PostedBody) -> Result<()> {
    let (entry, tenant, channel, now) = (&posted.entry, batch.tenant, batch.channel.id, batch.now);
    let records = match &posted.records {
        Ok(records) => records,
        Err(reason) => return park(tx, tenant, channel, entry, reason, entry.body.clone(), now).await,
    };
    let arrival =
        Arrival { tenant, channel: &batch.channel, received_at: entry.received_at, now, followers: batch.followers };
    for record in records {
        let refused = match &record.notification {
            Notification::Poison { reason } => Some(reason.clone()),
            _ => effects::apply(tx, batch.handlers, &arrival, record).await?,
        };
        if let Some(reason) = refused {
            tracing::warn!(%tenant, %channel, reason, "a record from the network is parked");
            park(tx, tenant, channel, entry, &reason, record.envelope().into_bytes(), now).await?;
        }
    }
    Ok(())
}

const MAX_REASON: usize = 500;

async fn park(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel_id: ChannelId,
    entry: &JournalEntry,
    reason: &str,
    body: Vec<u8>,
    now: Timestamp,
) -> Result<()> {
    metrics::counter!("switchboard_inbound_parked_total").increment(1);
    let reason: String = reason.chars().filter(|c| *c != '\0').take(MAX_REASON).collect();
    let parked =
        ParkedRecord { id: Id::new(now), channel_id, received_at: entry.received_at, parked_at: now, reason, body };
    Ok(store::messaging::inbound::park(tx, tenant, &parked).await?)
}
