//! A point in time that tasks share: since when a reader takes nothing, or a connection is idle.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::time::Instant;

/// Instants are kept as nanoseconds since this one, in atomics.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Since when something lasts (a reader takes nothing, a connection is idle), shared between tasks; zero while it does
/// not. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct ReaderWatch(Arc<AtomicU64>);

impl ReaderWatch {
    pub fn start(&self) {
        self.0.store(now(), Ordering::Relaxed);
    }

    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    pub fn since(&self) -> Option<Instant> {
        let nanos = self.0.load(Ordering::Relaxed);
        (nanos > 0).then(|| *EPOCH + Duration::from_nanos(nanos))
    }

    /// Returns when the reader has taken nothing for this time.
    pub async fn overdue(&self, timeout: Duration) {
        loop {
            let due = self.since().unwrap_or_else(Instant::now) + timeout;
            tokio::time::sleep_until(due).await;
            if self.since().is_some_and(|since| since.elapsed() >= timeout) {
                return;
            }
        }
    }
}

/// Nanoseconds since `EPOCH`, at least 1: zero means that nothing waits.
fn now() -> u64 {
    u64::try_from(EPOCH.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1)
}
