//! Reading the log: pages after a number, and waiting for it to go on.

use std::sync::Arc;

use domain::events::{Event, Types};
use domain::{TenantId, Timestamp};
use tokio::sync::watch;

use super::Events;
use crate::{ActsFor, Cause, Error, Result};

/// Events that a page looks at, at most, while it searches for those that were asked for.
const MOST_LOOKED_AT: usize = 10_000;
/// Facts that are read at once.
const BATCH: i64 = 256;

/// A part of a log.
#[derive(Debug)]
pub struct Page {
    pub events: Vec<Event>,
    /// Everything up to here was looked at: the next page begins after it.
    pub after: i64,
    /// Where the log is at present.
    pub last: i64,
}

impl Events<'_> {
    /// Events after a number, of the types asked for. What lies before that number and is gone is an error, so that
    /// nobody misses something without knowing.
    pub async fn pull(&self, caller: &impl ActsFor, after: i64, types: Types, limit: usize) -> Result<Page> {
        let tenant = caller.tenant();
        let log = store::events::log(self.0.db(), tenant).await?;
        if after < log.dropped {
            let message = format!("events up to {0} are not kept any longer; go on with after={0}", log.dropped);
            return Err(Error::refused(Cause::EventsDropped, "after", message));
        }
        if after > log.last {
            return Err(Error::invalid("after", format!("the log ends at {}", log.last)));
        }
        let mut page = Page { events: Vec::new(), after, last: log.last };
        let mut looked_at = 0;
        while page.events.len() < limit && looked_at < MOST_LOOKED_AT && page.after < log.last {
            let read = self.read(tenant, page.after, BATCH).await?;
            if read.is_empty() {
                break;
            }
            for event in read {
                if page.events.len() == limit {
                    break;
                }
                looked_at += 1;
                page.after = event.number;
                if types.contains(event.kind) {
                    page.events.push(event);
                }
            }
        }
        page.last = page.last.max(page.after);
        Ok(page)
    }

    /// Events after a number, whatever they are, in order: at least one if there are any.
    pub(crate) async fn read(&self, tenant: TenantId, after: i64, limit: i64) -> Result<Vec<Event>> {
        let most = usize::try_from(limit).unwrap_or(0);
        if let Some(kept) = self.0.tails().read(tenant, after, most) {
            return Ok(kept);
        }
        let facts = store::events::page(self.0.db(), tenant, after, limit).await?;
        let events = facts.into_iter().map(Arc::new).flat_map(|fact| fact.events());
        let events: Vec<Event> = events.filter(|event| event.number > after).collect();
        self.0.tails().keep(tenant, &events);
        Ok(events)
    }

    /// One event by its number; none when it is not kept any longer.
    pub(crate) async fn one(&self, tenant: TenantId, number: i64) -> Result<Option<Event>> {
        if let Some(mut kept) = self.0.tails().read(tenant, number - 1, 1) {
            return Ok(kept.pop());
        }
        let fact = store::events::page(self.0.db(), tenant, number - 1, 1).await?.into_iter().next();
        Ok(fact.map(Arc::new).and_then(|fact| fact.events().find(|event| event.number == number)))
    }

    /// The number after which everything is kept.
    pub async fn kept_after(&self, caller: &impl ActsFor) -> Result<i64> {
        Ok(store::events::log(self.0.db(), caller.tenant()).await?.dropped)
    }

    /// The number of the last event.
    pub async fn head(&self, caller: &impl ActsFor) -> Result<i64> {
        Ok(store::events::log(self.0.db(), caller.tenant()).await?.last)
    }

    /// Always has the number of the last event that this process knows of.
    pub fn follow(&self, tenant: TenantId) -> watch::Receiver<i64> {
        self.0.heads().follow(tenant)
    }

    /// Changes whenever any log moves.
    pub fn moves(&self) -> watch::Receiver<u64> {
        self.0.heads().ticks()
    }

    /// The number after which everything has happened at this time or later: found by halving, since numbers follow time
    /// closely enough.
    pub(crate) async fn before(&self, tenant: TenantId, since: Timestamp) -> Result<i64> {
        let log = store::events::log(self.0.db(), tenant).await?;
        // Transactions of one moment may be committed in another order.
        let since = since.plus_seconds(-60);
        let (mut low, mut high) = (log.dropped, log.last);
        while low < high {
            let middle = low + (high - low) / 2;
            let fact = store::events::page(self.0.db(), tenant, middle, 1).await?.into_iter().next();
            match fact {
                Some(fact) if fact.fact.at < since => low = fact.last.max(middle + 1),
                _ => high = middle,
            }
        }
        Ok(low)
    }
}
