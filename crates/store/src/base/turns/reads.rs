//! How long a piece of work has read on the thread that it runs on.
//!
//! Most requests read a few rows. A loop over thousands of rows is a computation, wherever it is written, and would
//! delay all requests on the same thread. So each piece of work has `FREE` time for its reads; beyond it, each further
//! read is a turn at the compute threads (`WorkPool::turn`). The time comes back slowly, for work without an end such
//! as a stream of events.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The time that a piece of work may read on the thread that it runs on.
const FREE: Duration = Duration::from_millis(5);
/// One part in so many of the time that passes comes back: `FREE` within a second.
const COMES_BACK: u32 = 200;

#[derive(Debug)]
pub(super) struct ReadTime(Cell<Used>);

#[derive(Debug, Clone, Copy)]
struct Used {
    time: Duration,
    at: Instant,
}

impl Default for ReadTime {
    fn default() -> Self {
        Self(Cell::new(Used { time: Duration::ZERO, at: Instant::now() }))
    }
}

impl ReadTime {
    pub fn has_time(&self) -> bool {
        self.used() < FREE
    }

    fn used(&self) -> Duration {
        let Used { time, at } = self.0.get();
        time.saturating_sub(at.elapsed() / COMES_BACK)
    }

    pub fn record(&self, took: Duration) {
        // Not without end: a second after its end, a computation may read as if there had been none.
        let time = (self.used() + took).min(FREE * 2);
        self.0.set(Used { time, at: Instant::now() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::turns::{for_tenant, may_read_here, timed};

    #[tokio::test]
    async fn the_time_for_reads_is_bounded_and_comes_back() {
        assert!(may_read_here(), "without a scope");
        let work = async {
            assert!(may_read_here());
            timed(|| std::thread::sleep(FREE));
            assert!(!may_read_here());
            timed(|| std::thread::sleep(FREE * 4));
            std::thread::sleep(Duration::from_millis(1_500));
            assert!(may_read_here(), "a second later");
        };
        for_tenant(domain::TenantId::FIRST, work).await;
    }
}
