//! Reading the log: pages after a number, single events, and waiting for the log to grow.

use std::sync::Arc;

use domain::delivery::events::{Event, EventTypes};
use domain::{Field, TenantId, Timestamp};
use tokio::sync::watch;

use super::Events;
use crate::{ActsFor, Cause, Error, Result};

/// A page reads no further batch after it has examined this many events in search of the requested types.
const MOST_LOOKED_AT: usize = 10_000;
/// Most facts in one read.
const BATCH: i64 = 256;
/// Seconds by which the order of numbers may differ from the order of times: transactions may commit in another order
/// than they take their time.
const DISORDER_SECONDS: i64 = 60;

/// A page of a log.
#[derive(Debug)]
pub struct EventPage {
    pub events: Vec<Event>,
    /// The last number that was examined: the next page begins after it.
    pub after: i64,
    /// The last number of the log.
    pub last: i64,
}

impl EventPage {
    /// Shortens the page to about this many bytes of payloads, but not below one event; the next page continues after
    /// the last event kept.
    pub fn cut_to(&mut self, bytes: usize) {
        let mut sum = 0;
        let fits = self.events.iter().take_while(|event| {
            let fits = sum == 0 || sum + event.payload().len() <= bytes;
            sum += event.payload().len().max(1);
            fits
        });
        let kept = fits.count();
        if kept < self.events.len() {
            self.events.truncate(kept);
            self.after = self.events.last().map_or(self.after, |event| event.number);
        }
    }
}

#[boxed::futures]
impl Events<'_> {
    /// Returns events of the requested types after a number. A page examines about `MOST_LOOKED_AT` events at most, so
    /// it may be short or empty before the end of the log. If events directly after the number were deleted already, it
    /// is an error, so that no reader misses events silently; so is a number after the end.
    pub async fn pull(&self, caller: &dyn ActsFor, after: i64, types: EventTypes, limit: usize) -> Result<EventPage> {
        let tenant = caller.tenant();
        let log = store::delivery::events::log(self.0.db(), tenant).await?;
        if after < log.dropped {
            let message = format!("events up to {0} have been deleted; continue with after={0}", log.dropped);
            return Err(Error::refused(Cause::EventsDropped, Field::After, message));
        }
        if after > log.last {
            return Err(Error::invalid(Field::After, format!("the log ends at {}", log.last)));
        }
        let mut page = EventPage { events: Vec::new(), after, last: log.last };
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

    /// Reads events of all types after a number, in order: about `limit`, and at least one if there are any.
    pub(crate) async fn read(&self, tenant: TenantId, after: i64, limit: i64) -> Result<Vec<Event>> {
        let most = usize::try_from(limit).unwrap_or(0);
        if let Some(kept) = self.0.recent_events().read(tenant, after, most) {
            return Ok(kept);
        }
        let facts = store::delivery::events::page(self.0.db(), tenant, after, limit).await?;
        let events = facts.into_iter().map(Arc::new).flat_map(|fact| fact.events());
        let events: Vec<Event> = events.filter(|event| event.number > after).collect();
        self.0.recent_events().keep(tenant, &events);
        Ok(events)
    }

    /// The event with this number; none when it was deleted or does not exist.
    pub(crate) async fn find(&self, tenant: TenantId, number: i64) -> Result<Option<Event>> {
        if let Some(mut kept) = self.0.recent_events().read(tenant, number - 1, 1) {
            return Ok(kept.pop());
        }
        let fact = store::delivery::events::page(self.0.db(), tenant, number - 1, 1).await?.into_iter().next();
        Ok(fact.map(Arc::new).and_then(|fact| fact.events().find(|event| event.number == number)))
    }

    /// The number up to which events were deleted.
    pub async fn kept_after(&self, caller: &dyn ActsFor) -> Result<i64> {
        Ok(store::delivery::events::log(self.0.db(), caller.tenant()).await?.dropped)
    }

    /// The number of the last event.
    pub async fn last_number(&self, caller: &dyn ActsFor) -> Result<i64> {
        Ok(store::delivery::events::log(self.0.db(), caller.tenant()).await?.last)
    }

    /// The number of the last event, as far as this process knows; changes when the log grows.
    pub fn follow(&self, tenant: TenantId) -> watch::Receiver<i64> {
        self.0.log_positions().follow(tenant)
    }

    /// A value that changes whenever any log grows.
    pub fn moves(&self) -> watch::Receiver<u64> {
        self.0.log_positions().moves()
    }

    /// Returns a number that is not smaller than those of all events up to this time.
    pub(crate) async fn number_through(&self, tenant: TenantId, until: Timestamp) -> Result<i64> {
        // `number_before` moves its time a minute back; adding two minutes moves it a minute forward instead.
        self.number_before(tenant, until.plus_seconds(2 * DISORDER_SECONDS + 1)).await
    }

    /// Returns a number that is smaller than those of all events since this time. Finds it by binary search, since
    /// numbers follow time up to `DISORDER_SECONDS`.
    pub(crate) async fn number_before(&self, tenant: TenantId, since: Timestamp) -> Result<i64> {
        let log = store::delivery::events::log(self.0.db(), tenant).await?;
        let since = since.plus_seconds(-DISORDER_SECONDS);
        let (mut low, mut high) = (log.dropped, log.last);
        while low < high {
            let middle = low + (high - low) / 2;
            let fact = store::delivery::events::page(self.0.db(), tenant, middle, 1).await?.into_iter().next();
            match fact {
                Some(fact) if fact.fact.at < since => low = fact.last.max(middle + 1),
                _ => high = middle,
            }
        }
        Ok(low)
    }
}
