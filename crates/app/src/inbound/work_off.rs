//! Working the journal off: channel by channel, each in the order of arrival, each body's effects and its end in one
//! transaction. So an effect happens once, whoever crashes when.

use std::sync::Arc;

use channels::webhook::{self, Record, What};
use domain::channels::Channel;
use domain::{Id, TenantId, Timestamp};
use store::Tx;
use store::inbound::{Entry, Parked};

use super::effects::{self, Arrival};
use crate::{App, Error, Result};

/// Bodies that share a transaction. A body may hold many records; most hold one.
const BATCH: i64 = 64;
/// Whoever holds a channel is believed to be alive for so long after its last batch.
const LEASE_SECONDS: i64 = 5;

/// What came of looking at a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Drained,
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
    /// Works off everything that waits, in turns: a channel with much does not keep the others waiting.
    pub async fn work_off_inbound(&self, stopped: impl Fn() -> bool + Send) -> store::Result<()> {
        loop {
            let mut open = store::inbound::waiting(self.db()).await?;
            let mut moved = false;
            while !open.is_empty() {
                let mut left = Vec::new();
                for (tenant, channel) in open {
                    if stopped() {
                        return Ok(());
                    }
                    let progress = self.work_off_some(tenant, channel).await?;
                    moved |= progress == Progress::Onward;
                    if progress == Progress::Onward {
                        left.push((tenant, channel));
                    }
                }
                open = left;
            }
            if !moved {
                return Ok(());
            }
        }
    }

    async fn work_off_some(&self, tenant: TenantId, channel: Id) -> store::Result<Progress> {
        let entries = store::inbound::next(self.db(), tenant, channel, BATCH).await?;
        if entries.is_empty() {
            return Ok(Progress::Drained);
        }
        let Some(stored) = store::channels::find(self.db(), tenant, channel).await? else {
            self.put_aside(tenant, channel, entries, "the channel was removed").await?;
            return Ok(Progress::Onward);
        };
        let posted = entries.into_iter().map(Posted::read).map(Arc::new).collect();
        let holder = self.desk().holder.clone();
        self.work_off_batch(Batch { tenant, channel: stored.channel, holder, posted, now: self.now() }).await
    }

    /// All together; where that fails for what one of them holds, one by one.
    async fn work_off_batch(&self, batch: Batch) -> store::Result<Progress> {
        match self.work_off_together(batch.clone()).await {
            Ok(progress) => return Ok(progress),
            Err(error) if is_passing(&error) => return Err(into_store(error)),
            Err(_) => {}
        }
        for posted in &batch.posted {
            let alone = Batch { posted: vec![posted.clone()], ..batch.clone() };
            match self.work_off_together(alone).await {
                Ok(Progress::Onward) => {}
                Ok(progress) => return Ok(progress),
                Err(error) if is_passing(&error) => return Err(into_store(error)),
                Err(error) => self.isolate(&batch, posted, &error.to_string()).await?,
            }
        }
        Ok(Progress::Onward)
    }

    async fn work_off_together(&self, batch: Batch) -> Result<Progress> {
        self.db().write(batch, |tx, batch| Box::pin(work_off(tx, batch))).await
    }

    /// The one body that fails: its records become bodies of their own, so that the good ones pass; one that fails alone
    /// is put aside with the reason.
    async fn isolate(&self, batch: &Batch, posted: &Posted, reason: &str) -> store::Result<()> {
        let (tenant, channel) = (batch.tenant, batch.channel.id);
        let records = posted.records.as_deref().unwrap_or_default();
        if records.len() < 2 {
            tracing::error!(%tenant, %channel, reason, "something that arrived cannot be worked off");
            return self.put_aside(tenant, channel, vec![posted.entry.clone()], reason).await;
        }
        let part =
            |record: &Record| Entry { body: record.envelope().into_bytes(), id: Id::new(batch.now), ..posted.entry };
        let parts: Vec<Entry> = records.iter().map(part).collect();
        let input = (tenant, channel, posted.entry.clone(), parts);
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

    async fn put_aside(&self, tenant: TenantId, channel: Id, entries: Vec<Entry>, why: &str) -> store::Result<()> {
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
    fn read(entry: Entry) -> Self {
        let records = webhook::parse(&entry.body).map_err(|unreadable| unreadable.to_string());
        Self { entry, records }
    }
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
    Ok(Progress::Onward)
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
            park(tx, place, entry, &reason, record.envelope().into_bytes(), batch.now).await?;
        }
    }
    Ok(())
}

const MAX_REASON: usize = 500;

async fn park(
    tx: &mut Tx<'_>,
    (tenant, channel_id): (TenantId, Id),
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

/// Will it go away by itself? Then everything stays where it is until it has.
fn is_passing(error: &Error) -> bool {
    use store::Error::{TryAgain, Unavailable};
    matches!(error, Error::Store(TryAgain(_) | Unavailable(_)))
}

fn into_store(error: Error) -> store::Error {
    match error {
        Error::Store(error) => error,
        other => store::Error::Unavailable(other.to_string()),
    }
}
