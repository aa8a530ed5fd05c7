//! Where each log is, as far as this process knows: whoever follows a log waits here.

use std::collections::HashMap;

use domain::TenantId;
use parking_lot::Mutex;
use tokio::sync::watch;

#[derive(Debug)]
pub(crate) struct Heads {
    logs: Mutex<HashMap<TenantId, watch::Sender<i64>>>,
    /// Which logs have moved since somebody last asked.
    moved: Mutex<HashMap<TenantId, i64>>,
    tick: watch::Sender<u64>,
}

impl Default for Heads {
    fn default() -> Self {
        Self { logs: Mutex::default(), moved: Mutex::default(), tick: watch::channel(0).0 }
    }
}

impl Heads {
    /// A log is at least here.
    pub fn reached(&self, tenant: TenantId, last: i64) {
        let advance = |known: &mut i64| {
            let is_news = *known < last;
            *known = last.max(*known);
            is_news
        };
        let mut logs = self.logs.lock();
        let is_news = logs.entry(tenant).or_insert_with(|| watch::channel(0).0).send_if_modified(advance);
        drop(logs);
        if is_news {
            self.moved.lock().insert(tenant, last);
            self.tick.send_modify(|tick| *tick += 1);
        }
    }

    pub fn follow(&self, tenant: TenantId) -> watch::Receiver<i64> {
        let mut logs = self.logs.lock();
        logs.entry(tenant).or_insert_with(|| watch::channel(0).0).subscribe()
    }

    /// Changes whenever any log moves.
    pub fn ticks(&self) -> watch::Receiver<u64> {
        self.tick.subscribe()
    }

    /// The logs that have moved since the last call.
    pub fn take_moved(&self) -> HashMap<TenantId, i64> {
        std::mem::take(&mut *self.moved.lock())
    }
}
