//! The end of each log, in memory: many endpoints are told the same events at the same time, and read them here once.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::TenantId;
use domain::events::Event;
use moka::sync::Cache;
use parking_lot::Mutex;

/// Logs whose end is kept.
const LOGS: u64 = 256;
/// Events that are kept of one, and bytes of their payloads.
const EVENTS: usize = 4096;

/// The ends of logs that somebody has read lately.
#[derive(Debug)]
pub(crate) struct Tails(Cache<TenantId, Arc<Mutex<Tail>>>);

impl Default for Tails {
    fn default() -> Self {
        Self(Cache::new(LOGS))
    }
}

/// Consecutive events, the oldest first.
#[derive(Debug, Default)]
struct Tail(VecDeque<Event>);

impl Tails {
    /// Events after this number, if they are here.
    pub fn read(&self, tenant: TenantId, after: i64, limit: usize) -> Option<Vec<Event>> {
        let tail = self.0.get(&tenant)?;
        let tail = tail.lock();
        let first = tail.0.front()?.number;
        let skip = usize::try_from(after + 1 - first).ok()?;
        (skip < tail.0.len()).then(|| tail.0.iter().skip(skip).take(limit).cloned().collect())
    }

    /// What was read from the end of the log: it is kept if it goes on where the kept end stops.
    pub fn keep(&self, tenant: TenantId, read: &[Event]) {
        let (Some(first), Some(last)) = (read.first(), read.last()) else { return };
        let tail = self.0.get_with(tenant, Arc::default);
        let mut tail = tail.lock();
        let end = tail.0.back().map(|event| event.number);
        match end {
            Some(end) if last.number <= end => return,
            Some(end) if first.number <= end + 1 => {}
            _ => tail.0.clear(),
        }
        let end = tail.0.back().map_or(0, |event| event.number);
        tail.0.extend(read.iter().filter(|event| event.number > end).cloned());
        let over = tail.0.len().saturating_sub(EVENTS);
        tail.0.drain(..over);
    }
}
