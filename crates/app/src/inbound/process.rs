//! Working the journal off: channel by channel, each in the order of arrival, each body's effects and its end in one
//! transaction. So an effect happens once, whoever crashes when.

use std::panic::catch_unwind;
use std::sync::Arc;

use channels::webhook::{self, Record, What};
use domain::channels::Channel;
use domain::{ChannelId, Id, TenantId, Timestamp};
use store::Tx;
use store::inbound::{Entry, Parked};

use super::effects::{self, Arrival};
use crate::{App, Error, Result};

/// Bodies that share a transaction. A body may hold many records; most hold one.
const BATCH: i64 = 64;
/// Records that share a transaction: while they are worked off, nobody else writes on SQLite.
const MOST_RECORDS: usize = 256;
/// Whoever holds a channel is believed to be alive for so long after its last batch.
const LEASE_SECONDS: i64 = 5;

/// What came of looking at a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// All that was looked at; perhaps there is no more.
    Done,
    /// There is more.
    Onward,
    /// Another node is at it.
    Elsewhere,
}

/// A body and what it says, if it can be read at all.
#[derive(Debug)]
struct Posted {
    entry: Entry,
    records: Result<Vec<Record>, String>,
}

#[derive(Debug, Clone)]
struct Batch {
    tenant: TenantId,
    channel: Channel,
    holder: String,
    posted: Vec<Arc<Posted>>,
    now: Timestamp,
}

impl App {
    /// Works off everything that waits, in turns: a channel with much does not keep the others waiting, nor does one in
    /// trouble.
    pub async fn work_off_inbound(&self, stopped: impl Fn() -> bool + Send) -> store::Result<()> {
        let mut trouble = None;
        loop {
            let mut onward = false;
            for (tenant, channel) in store::inbound::waiting(self.db()).await? {
                if stopped() {
                    return Ok(());
                }
                match self.work_off_some(tenant, channel).await {
                    Ok(progress) => onward |= progress == Progress::Onward,
                    Err(error) => trouble = trouble.or(Some(error)),
                }
            }
            if !onward {
                return trouble.map_or(Ok(()), Err);
            }
        }
    }

    async fn work_off_some(&self, tenant: TenantId, channel: ChannelId) -> store::Result<Progress> {
        let entries = store::inbound::next(self.db(), tenant, channel, BATCH).await?;
        let Some(stored) = store::channels::find(self.db(), tenant, channel).await? else {
            self.put_aside(tenant, channel, entries, "the channel was removed").await?;
            return Ok(Progress::Onward);
        };
        let found = entries.len();
        let posted: Vec<_> = entries.into_iter().map(Posted::read).map(Arc::new).collect();
        let batch = Batch {
            tenant,
            channel: stored.channel,
            holder: self.node_name().to_owned(),
            posted: first_records(posted),
            now: self.now(),
        };
        if let [huge] = batch.posted.as_slice()
            && huge.count() > MOST_RECORDS
        {
            self.split(&batch, huge).await?;
            return Ok(Progress::Onward);
        }
        // A look that brought all it may leaves some behind, and so does one with more records than go together.
        let more = i64::try_from(found) == Ok(BATCH) || batch.posted.len() < found;
        let progress = self.work_off_batch(batch).await?;
        Ok(if progress == Progress::Done && more { Progress::Onward } else { progress })
    }

    /// All together; where that fails, one by one, up to the one that fails.
    async fn work_off_batch(&self, batch: Batch) -> store::Result<Progress> {
        match self.work_off_together(batch.clone()).await {
            Ok(progress) => return Ok(progress),
            Err(Error::Store(error @ store::Error::Unavailable(_))) => return Err(error),
            Err(_) => {}
        }
        for posted in &batch.posted {
            let alone = Batch { posted: vec![posted.clone()], ..batch.clone() };
            match self.work_off_together(alone).await {
                Ok(Progress::Done) => {}
                Ok(progress) => return Ok(progress),
                Err(Error::Store(error @ (store::Error::Unavailable(_) | store::Error::TryAgain(_)))) => {
                    return Err(error);
                }
                Err(error) => {
                    self.isolate(&batch, posted, &error.to_string()).await?;
                    // What came after it waits for its parts.
                    return Ok(Progress::Onward);
                }
            }
        }
        Ok(Progress::Done)
    }

    async fn work_off_together(&self, batch: Batch) -> Result<Progress> {
        let has_payments = batch.posted.iter().any(|posted| posted.has_payments());
        let progress = self.db().write(batch, |tx, batch| Box::pin(work_off(tx, batch))).await?;
        if has_payments {
            self.payment_is_reported();
        }
        Ok(progress)
    }

    /// The one body that fails: its records become bodies of their own, so that the good ones pass; one that fails alone
    /// is put aside with the reason.
    async fn isolate(&self, batch: &Batch, posted: &Posted, reason: &str) -> store::Result<()> {
        if posted.count() > 1 {
            return self.split(batch, posted).await;
        }
        let (tenant, channel) = (batch.tenant, batch.channel.id);
        tracing::error!(%tenant, %channel, reason, "something that arrived cannot be worked off");
        self.put_aside(tenant, channel, vec![posted.entry.clone()], reason).await
    }

    /// Each record of a body becomes a body of its own, in its place.
    async fn split(&self, batch: &Batch, posted: &Posted) -> store::Result<()> {
        let part = |record: &Record| Entry {
            body: record.envelope().into_bytes(),
            id: Id::new(batch.now),
            received_at: posted.entry.received_at,
        };
        let parts: Vec<Entry> = posted.records.iter().flatten().map(part).collect();
        let input = (batch.tenant, batch.channel.id, posted.entry.clone(), parts);
        let write = self.db().write(input, |tx, (tenant, channel, entry, parts)| {
            Box::pin(async move {
                if store::inbound::done(tx, *tenant, *channel, entry).await? {
                    for part in parts {
                        store::inbound::append(tx, *tenant, *channel, part).await?;
                    }
                }
                Ok(())
            })
        });
        write.await
    }

    async fn put_aside(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        entries: Vec<Entry>,
        why: &str,
    ) -> store::Result<()> {
        let input = (tenant, channel, entries, why.to_owned(), self.now());
        let write = self.db().write(input, |tx, (tenant, channel, entries, why, now)| {
            Box::pin(async move {
                for entry in entries {
                    if store::inbound::done(tx, *tenant, *channel, entry).await? {
                        park(tx, (*tenant, *channel), entry, why, entry.body.clone(), *now).await?;
                    }
                }
                Ok(())
            })
        });
        write.await
    }
}

impl Posted {
    /// Whatever a body does to the parser, it is that body's trouble alone.
    fn read(entry: Entry) -> Self {
        let parsed = catch_unwind(|| webhook::parse(&entry.body));
        let records = match parsed {
            Ok(parsed) => parsed.map_err(|unreadable| unreadable.to_string()),
            Err(_) => Err("reading it failed".to_owned()),
        };
        Self { entry, records }
    }

    fn has_payments(&self) -> bool {
        self.records.iter().flatten().any(|record| matches!(record.what, What::Payment(_)))
    }

    fn count(&self) -> usize {
        self.records.as_ref().map_or(1, Vec::len)
    }
}

/// As many bodies as have few enough records together; one at least.
fn first_records(mut posted: Vec<Arc<Posted>>) -> Vec<Arc<Posted>> {
    let mut sum = 0;
    let fitting = posted.iter().take_while(|one| {
        sum += one.count();
        sum <= MOST_RECORDS
    });
    let fitting = fitting.count().max(1);
    posted.truncate(fitting);
    posted
}

async fn work_off(tx: &mut Tx<'_>, batch: &Batch) -> Result<Progress> {
    let lease = format!("inbound/{}", batch.channel.id);
    let until = batch.now.plus_seconds(LEASE_SECONDS);
    if store::leases::take(tx, &lease, &batch.holder, batch.now, until).await?.is_none() {
        return Ok(Progress::Elsewhere);
    }
    for posted in &batch.posted {
        // Whoever was faster has done all of it.
        if store::inbound::done(tx, batch.tenant, batch.channel.id, &posted.entry).await? {
            work_off_one(tx, batch, posted).await?;
        }
    }
    Ok(Progress::Done)
}

async fn work_off_one(tx: &mut Tx<'_>, batch: &Batch, posted: &Posted) -> Result<()> {
    let (entry, place) = (&posted.entry, (batch.tenant, batch.channel.id));
    let records = match &posted.records {
        Ok(records) => records,
        Err(reason) => return Ok(park(tx, place, entry, reason, entry.body.clone(), batch.now).await?),
    };
    let arrival =
        Arrival { tenant: batch.tenant, channel: &batch.channel, received_at: entry.received_at, now: batch.now };
    for record in records {
        let refused = match &record.what {
            What::Poison { reason } => Some(reason.clone()),
            _ => effects::apply(tx, &arrival, record).await?,
        };
        if let Some(reason) = refused {
            tracing::warn!(tenant = %batch.tenant, channel = %batch.channel.id, reason, "something that arrived is put aside");
            park(tx, place, entry, &reason, record.envelope().into_bytes(), batch.now).await?;
        }
    }
    Ok(())
}

const MAX_REASON: usize = 500;

async fn park(
    tx: &mut Tx<'_>,
    (tenant, channel_id): (TenantId, ChannelId),
    entry: &Entry,
    reason: &str,
    body: Vec<u8>,
    now: Timestamp,
) -> store::Result<()> {
    metrics::counter!("switchboard_inbound_parked_total").increment(1);
    let reason: String = reason.chars().filter(|c| *c != '\0').take(MAX_REASON).collect();
    let parked = Parked { id: Id::new(now), channel_id, received_at: entry.received_at, parked_at: now, reason, body };
    store::inbound::park(tx, tenant, &parked).await
}
