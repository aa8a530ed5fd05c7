//! The number of the last event of each log, as far as this process knows. Dispatchers and streams wait here for their
//! log to grow; the webhook worker and the consumers read here which logs have grown, and the numbering worker which are
//! led elsewhere.
//!
//! Positions only rise. They are hints: a position that is too low delays a reader until a poll
//! (`Events::refresh_log_positions`) or the next event raises it, and loses no event.

use std::collections::{HashMap, HashSet};

use domain::{TenantId, Timestamp};
use parking_lot::Mutex;
use tokio::sync::watch;

/// Follows all logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follower {
    Webhooks,
    Projections,
    Reactions,
}

impl Follower {
    const COUNT: usize = Self::Reactions as usize + 1;
}

#[derive(Debug)]
pub(crate) struct LogPositions {
    logs: Mutex<HashMap<TenantId, watch::Sender<i64>>>,
    /// For each follower, the logs that have grown since its last `take_moved`.
    moved: Mutex<[HashSet<TenantId>; Follower::COUNT]>,
    moves: watch::Sender<u64>,
    /// Logs that another node leads, and until when this one leaves them alone.
    left_alone: Mutex<HashMap<TenantId, Timestamp>>,
    /// When this node last looked for logs that other nodes have numbered.
    looked: Mutex<Option<Timestamp>>,
}

impl Default for LogPositions {
    fn default() -> Self {
        Self {
            logs: Mutex::default(),
            moved: Mutex::default(),
            moves: watch::channel(0).0,
            left_alone: Mutex::default(),
            looked: Mutex::default(),
        }
    }
}

impl LogPositions {
    /// Raises the position of a log to `last` and wakes its readers. A lower number changes nothing.
    pub fn advance(&self, tenant: TenantId, last: i64) {
        let advance = |known: &mut i64| {
            let has_grown = *known < last;
            *known = last.max(*known);
            has_grown
        };
        let mut logs = self.logs.lock();
        let has_grown = logs.entry(tenant).or_insert_with(|| watch::channel(0).0).send_if_modified(advance);
        drop(logs);
        if has_grown {
            for moved in self.moved.lock().iter_mut() {
                moved.insert(tenant);
            }
            self.moves.send_modify(|count| *count += 1);
        }
    }

    /// Lets a follower read a log that has not grown, for example because it did not follow the log before.
    pub fn note_moved(&self, follower: Follower, tenant: TenantId) {
        self.moved.lock()[follower as usize].insert(tenant);
        self.moves.send_modify(|count| *count += 1);
    }

    pub fn leave_alone(&self, tenant: TenantId, until: Timestamp) {
        self.left_alone.lock().insert(tenant, until);
    }

    pub fn is_left_alone(&self, tenant: TenantId, now: Timestamp) -> bool {
        self.left_alone.lock().get(&tenant).is_some_and(|until| now < *until)
    }

    pub fn looked(&self) -> Option<Timestamp> {
        *self.looked.lock()
    }

    pub fn note_look(&self, now: Timestamp) {
        *self.looked.lock() = Some(now);
    }

    pub fn follow(&self, tenant: TenantId) -> watch::Receiver<i64> {
        let mut logs = self.logs.lock();
        logs.entry(tenant).or_insert_with(|| watch::channel(0).0).subscribe()
    }

    /// A value that changes whenever any log grows.
    pub fn moves(&self) -> watch::Receiver<u64> {
        self.moves.subscribe()
    }

    /// Returns when a log has grown since the follower's last `take_moved`.
    pub async fn moved(&self, follower: Follower) {
        let mut moves = self.moves();
        while self.moved.lock()[follower as usize].is_empty() {
            // The sender lives as long as this value.
            let _ = moves.changed().await;
        }
    }

    /// The logs that have grown since the follower's last call.
    pub fn take_moved(&self, follower: Follower) -> HashSet<TenantId> {
        std::mem::take(&mut self.moved.lock()[follower as usize])
    }
}
