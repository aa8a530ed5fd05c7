//! Caches the end of each log: many dispatchers read the same new events at the same time, and mostly one of them reads
//! them from the database. Events that are missing here are read from the database.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use domain::TenantId;
use domain::delivery::events::Event;
use parking_lot::Mutex;

use crate::base::cache::Cache;

/// Most logs whose end is cached.
const LOGS: usize = 256;
/// Most events cached of one log, and most of their bytes.
const EVENTS: usize = 4096;
const BYTES: usize = 2 << 20;

#[derive(Debug)]
pub(crate) struct RecentEvents {
    logs: Cache<TenantId, Arc<Mutex<LogEnd>>>,
    /// The epoch of bodies (`store::delivery::events`) that this node saw last.
    epoch: AtomicI64,
    drops: AtomicU64,
}

impl Default for RecentEvents {
    fn default() -> Self {
        Self { logs: Cache::new(LOGS), epoch: AtomicI64::new(0), drops: AtomicU64::new(0) }
    }
}

#[derive(Debug, Default)]
struct LogEnd {
    /// Consecutive events, the oldest first.
    events: VecDeque<Event>,
    bytes: usize,
}

impl LogEnd {
    fn append(&mut self, event: Event) {
        self.bytes += event.bytes();
        self.events.push_back(event);
        while self.events.len() > EVENTS || self.bytes > BYTES {
            let Some(oldest) = self.events.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(oldest.bytes());
        }
    }
}

impl RecentEvents {
    /// Drops the cached events of a log, because some were changed.
    pub fn forget(&self, tenant: TenantId) {
        self.logs.remove(&tenant);
        self.drops.fetch_add(1, Ordering::SeqCst);
    }

    /// Drops all cached events if the epoch of bodies is another one than before.
    pub fn refresh(&self, epoch: i64) {
        if self.epoch.swap(epoch, Ordering::SeqCst) != epoch {
            self.logs.clear();
            self.drops.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// How often cached events were dropped. When it changes, events that were read before may have old bodies.
    pub fn drops(&self) -> u64 {
        self.drops.load(Ordering::SeqCst)
    }

    /// Events after this number; none when the cache does not hold the next one.
    pub fn read(&self, tenant: TenantId, after: i64, limit: usize) -> Option<Vec<Event>> {
        let log_end = self.logs.get(&tenant)?;
        let log_end = log_end.lock();
        let first = log_end.events.front()?.number;
        let skip = usize::try_from(after + 1 - first).ok()?;
        (skip < log_end.events.len()).then(|| log_end.events.iter().skip(skip).take(limit).cloned().collect())
    }

    /// Caches events that were read from the database. Events that continue the cached ones are appended; after a gap
    /// they replace the cached ones, since the cache has no gaps; older ones are ignored.
    pub fn keep(&self, tenant: TenantId, read: &[Event]) {
        let (Some(first), Some(last)) = (read.first(), read.last()) else { return };
        let log_end = self.logs.get_with(&tenant, Arc::default);
        let mut log_end = log_end.lock();
        let end = log_end.events.back().map(|event| event.number);
        match end {
            Some(end) if last.number <= end => return,
            Some(end) if first.number <= end + 1 => {}
            _ => *log_end = LogEnd::default(),
        }
        let end = log_end.events.back().map_or(0, |event| event.number);
        for event in read.iter().filter(|event| event.number > end) {
            log_end.append(event.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::delivery::events::{Fact, FactCause, FactKind, LoggedFact};
    use domain::{Id, Timestamp};

    use super::*;

    const TENANT: TenantId = TenantId::FIRST;

    /// The first events of a log, each with this many bytes.
    fn events(count: i64, bytes: usize) -> Vec<Event> {
        let at = Timestamp::from_seconds(1_776_000_000);
        let logged = |last| {
            let (id, body) = (Id::new(at), "x".repeat(bytes));
            let fact = Fact {
                id,
                kind: FactKind::Call,
                event_count: 1,
                at,
                channel_id: None,
                conversation_id: None,
                contact_id: None,
                cause: FactCause::System,
                depth: 0,
                body,
            };
            Arc::new(LoggedFact { fact, last })
        };
        (1..=count).flat_map(|number| logged(number).events()).collect()
    }

    #[test]
    fn the_end_of_a_log_is_bounded_by_number_and_by_bytes() {
        for (bytes, kept) in [(100, 4096), (64 << 10, 32), (3 << 20, 0)] {
            let (recent, last) = (RecentEvents::default(), kept + 10);
            recent.keep(TENANT, &events(last, bytes));
            let read = recent.read(TENANT, last - kept, EVENTS).unwrap_or_default();
            assert_eq!(i64::try_from(read.len()), Ok(kept), "{bytes}");
            assert!(recent.read(TENANT, last - kept - 1, 1).is_none(), "{bytes}");
        }
    }
}
