//! Leases shares from the database: in the background when a share runs low, or while a request waits when it is empty.
//!
//! At most one lease of a bucket is pending. A lease ends within `DATABASE_TIMEOUT`; after a failure the bucket pauses
//! its leases (`bucket.rs`), and units that the database may have counted are lost until the window ends. A lease that
//! was begun is completed even if its request is cancelled, since the database may have counted it.

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, Timestamp};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use store::{Db, Wakeup};

use super::bucket::{Bucket, LeaseStart, PendingLease};
use crate::base::interval::Interval;

/// The longest that one lease or one take may last; after that the database counts as unreachable.
pub(super) const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);
/// Most leases that run in the background at the same time.
const CONCURRENT_LEASES: usize = 4;
/// An outage is logged at most once in this many seconds.
const WARN_EVERY_SECONDS: i64 = 60;

#[derive(Debug)]
pub(super) struct Refills {
    db: Db,
    clock: Clock,
    timeout: Duration,
    low: Mutex<Vec<Arc<Bucket>>>,
    pub(super) wanted: Wakeup,
    warn: Interval,
}

impl Refills {
    pub(super) fn new(db: Db, clock: Clock, timeout: Duration) -> Arc<Self> {
        let warn = Interval::at(i64::MIN);
        Arc::new(Self { db, clock, timeout, low: Mutex::default(), wanted: Wakeup::default(), warn })
    }

    /// Requests a lease in the background.
    pub(super) fn request(&self, bucket: &Arc<Bucket>) {
        self.low.lock().push(Arc::clone(bucket));
        self.wanted.wake();
    }

    /// Runs the leases that were requested.
    pub(super) async fn lease_requested(&self) {
        let low = std::mem::take(&mut *self.low.lock());
        let now = self.clock.now();
        let leases = low.into_iter().filter_map(|bucket| match bucket.begin_lease(now) {
            LeaseStart::Begun(lease) => Some(self.run_lease(lease)),
            LeaseStart::UnderWay | LeaseStart::NotNeeded => None,
        });
        futures_util::stream::iter(leases).buffer_unordered(CONCURRENT_LEASES).collect::<()>().await;
    }

    /// Leases now and returns when the lease has ended, also when it failed; at once when none is needed. The lease
    /// runs in its own task, so that it completes even if the request is cancelled.
    pub(super) async fn lease_now(self: &Arc<Self>, bucket: &Arc<Bucket>) {
        let filled = bucket.filled.notified();
        match bucket.begin_lease(self.clock.now()) {
            LeaseStart::Begun(lease) => {
                let refills = Arc::clone(self);
                tokio::spawn(async move { refills.run_lease(lease).await });
            }
            LeaseStart::UnderWay => {}
            LeaseStart::NotNeeded => return,
        }
        filled.await;
    }

    async fn run_lease(&self, lease: PendingLease) {
        let leased = self.in_time(store::platform::limits::lease(&self.db, lease.demand())).await;
        let now = self.clock.now();
        match leased {
            Ok(leased) => lease.finish(leased, now),
            Err(error) => {
                self.warn_outage(&error, now);
                lease.fail(now);
            }
        }
    }

    /// Runs a database call with a time-out; a database that does not answer in time counts as unreachable.
    pub(super) async fn in_time<T, E: From<store::Error>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let too_late = |_| Err(store::Error::Unavailable("no answer in time".to_owned()).into());
        tokio::time::timeout(self.timeout, work).await.unwrap_or_else(too_late)
    }

    pub(super) fn warn_outage(&self, error: &store::Error, now: Timestamp) {
        if self.warn.is_due(now, WARN_EVERY_SECONDS) {
            tracing::warn!(%error, "limits are approximate while the database cannot be reached");
        }
    }
}
