//! Caches the end of each log: many dispatchers read the same new events at the same time, and mostly one of them reads
//! them from the database. Events that are missing here are read from the database.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::TenantId;
use domain::delivery::events::Event;
use parking_lot::Mutex;

use crate::base::cache::Cache;

/// Most logs whose end is cached.
const LOGS: usize = 256;
/// Most events cached of one log.
const EVENTS: usize = 4096;

#[derive(Debug)]
pub(crate) struct RecentEvents(Cache<TenantId, Arc<Mutex<LogEnd>>>);

impl Default for RecentEvents {
    fn default() -> Self {
        Self(Cache::new(LOGS))
    }
}

/// Consecutive events, the oldest first.
#[derive(Debug, Default)]
struct LogEnd(VecDeque<Event>);

impl RecentEvents {
    /// Events after this number; none when the cache does not hold the next one.
    pub fn read(&self, tenant: TenantId, after: i64, limit: usize) -> Option<Vec<Event>> {
        let log_end = self.0.get(&tenant)?;
        let log_end = log_end.lock();
        let first = log_end.0.front()?.number;
        let skip = usize::try_from(after + 1 - first).ok()?;
        (skip < log_end.0.len()).then(|| log_end.0.iter().skip(skip).take(limit).cloned().collect())
    }

    /// Caches events that were read from the database. Events that continue the cached ones are appended; after a gap
    /// they replace the cached ones, since the cache has no gaps; older ones are ignored.
    pub fn keep(&self, tenant: TenantId, read: &[Event]) {
        let (Some(first), Some(last)) = (read.first(), read.last()) else { return };
        let log_end = self.0.get_with(&tenant, Arc::default);
        let mut log_end = log_end.lock();
        let end = log_end.0.back().map(|event| event.number);
        match end {
            Some(end) if last.number <= end => return,
            Some(end) if first.number <= end + 1 => {}
            _ => log_end.0.clear(),
        }
        let end = log_end.0.back().map_or(0, |event| event.number);
        log_end.0.extend(read.iter().filter(|event| event.number > end).cloned());
        let over = log_end.0.len().saturating_sub(EVENTS);
        log_end.0.drain(..over);
    }
}
