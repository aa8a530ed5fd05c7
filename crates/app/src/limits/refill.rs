//! Leasing shares from the database: behind the requests when one runs low, or while a request waits when it is empty.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::{Clock, Timestamp};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use store::Db;
use tokio::sync::Notify;

use super::bucket::{Bucket, Filling, Flight};

/// A request does not wait longer than this for a database that does not answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Leases that are on their way at one time from behind the requests.
const AT_ONCE: usize = 4;
/// An outage is said once in this time.
const SAY_AGAIN_SECONDS: i64 = 60;

#[derive(Debug)]
pub(super) struct Refills {
    db: Db,
    clock: Clock,
    low: Mutex<Vec<Arc<Bucket>>>,
    pub(super) wanted: Notify,
    said_at: AtomicI64,
}

impl Refills {
    pub(super) fn new(db: Db, clock: Clock) -> Arc<Self> {
        let said_at = AtomicI64::new(i64::MIN);
        Arc::new(Self { db, clock, low: Mutex::default(), wanted: Notify::new(), said_at })
    }

    /// Asks for more behind the request.
    pub(super) fn ask(&self, bucket: &Arc<Bucket>) {
        self.low.lock().push(Arc::clone(bucket));
        self.wanted.notify_one();
    }

    /// Leases for everybody who asked.
    pub(super) async fn work_off(&self) {
        let low = std::mem::take(&mut *self.low.lock());
        let now = self.clock.now();
        let flights = low.into_iter().filter_map(|bucket| match bucket.begin_filling(now) {
            Filling::Begun(flight) => Some(self.fly(flight)),
            Filling::UnderWay | Filling::NotNeeded => None,
        });
        futures_util::stream::iter(flights).buffer_unordered(AT_ONCE).collect::<()>().await;
    }

    /// Comes back when more was leased, or could not be. The lease goes on when the request goes away: what it got is
    /// not lost.
    pub(super) async fn fill(self: &Arc<Self>, bucket: &Arc<Bucket>) {
        let filled = bucket.filled.notified();
        match bucket.begin_filling(self.clock.now()) {
            Filling::Begun(flight) => {
                let refills = Arc::clone(self);
                tokio::spawn(async move { refills.fly(flight).await });
            }
            Filling::UnderWay => {}
            Filling::NotNeeded => return,
        }
        filled.await;
    }

    async fn fly(&self, flight: Flight) {
        let leased = self.in_time(store::limits::lease(&self.db, flight.want())).await;
        let now = self.clock.now();
        match leased {
            Ok(leased) => flight.arrived(leased, now),
            Err(error) => {
                self.say(&error, now);
                flight.failed(now);
            }
        }
    }

    /// A database that does not answer is one that cannot be reached.
    pub(super) async fn in_time<T, E: From<store::Error>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let too_late = |_| Err(store::Error::Unavailable("no answer in time".to_owned()).into());
        tokio::time::timeout(PATIENCE, work).await.unwrap_or_else(too_late)
    }

    pub(super) fn say(&self, error: &store::Error, now: Timestamp) {
        let said_at = self.said_at.load(Ordering::Relaxed);
        let due = now.seconds() >= said_at.saturating_add(SAY_AGAIN_SECONDS);
        let mine = self.said_at.compare_exchange(said_at, now.seconds(), Ordering::Relaxed, Ordering::Relaxed);
        if due && mine.is_ok() {
            tracing::warn!(%error, "limits are not held to the number while the database cannot be reached");
        }
    }
}
