//! Background work of the limiter: fills shares up, counts the live nodes, drops past windows.
//!
//! On PostgreSQL a node announces itself with a lease of its own name; the number of live leases is the number of
//! nodes, by which the shares are divided. A node that crashes counts until its lease ends, and its unused shares are
//! lost. A clean stop gives unused shares back and leases what the node owes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::{Clock, Timestamp};
use futures_util::future::ready;
use futures_util::stream::{self, StreamExt as _};
use store::{Db, Engine};

use super::Limiter;
use super::bucket::Bucket;
use crate::timer::Timer;

/// How many seconds a node counts as live after it last announced itself.
const PRESENT_SECONDS: i64 = 10;
const ANNOUNCE_EVERY: i64 = 4;
const SWEEP_EVERY: i64 = 10;
const FORGET_RATES_EVERY: i64 = 60;
const FORGET_MONTHS_EVERY: i64 = 60 * 60;
/// The database keeps a rate window this long after its start, because the clocks of nodes differ.
const KEEP_RATES_SECONDS: i64 = 10 * 60;
const NODES: &str = "node:";
/// The number of nodes that is assumed until a node has counted them, so that nodes that start together take small
/// shares.
const NODES_AT_START: i64 = 4;
/// Most shares that are given back at the same time when the process ends.
const GIVE_BACK_AT_ONCE: usize = 64;

/// This node among those that share a database.
#[derive(Debug)]
pub(super) struct Node {
    name: String,
    live: AtomicI64,
    announce: Timer,
    sweep: Timer,
    forget_rates: Timer,
    forget_months: Timer,
}

impl Node {
    pub(super) fn new(clock: &Clock) -> Self {
        let now = clock.now().seconds();
        Self {
            name: format!("{NODES}{:016x}", rand::random::<u64>()),
            live: AtomicI64::new(NODES_AT_START),
            announce: Timer::at(now),
            sweep: Timer::at(now + SWEEP_EVERY),
            forget_rates: Timer::at(now + FORGET_RATES_EVERY),
            forget_months: Timer::at(now),
        }
    }

    pub(super) fn live(&self) -> i64 {
        self.live.load(Ordering::Relaxed)
    }

    async fn announce(&self, db: &Db, now: Timestamp) -> store::Result<()> {
        let until = now.plus_seconds(PRESENT_SECONDS);
        let live = store::leases::acquire_and_list(db, &self.name, NODES, &self.name, now, until).await?;
        self.live.store(i64::try_from(live.len()).unwrap_or(i64::MAX).max(1), Ordering::Relaxed);
        Ok(())
    }

    async fn leave(&self, db: &Db) -> store::Result<()> {
        db.write(self.name.clone(), |tx, name| Box::pin(store::leases::release(tx, name, name))).await
    }
}

#[boxed::futures]
impl Limiter {
    /// One round of background work. The worker calls it after `refill_wanted`, and at least once a second.
    pub async fn maintain(&self) -> crate::Result<()> {
        let (db, node, now) = (&self.0.db, &self.0.node, self.0.clock.now());
        self.0.refills.lease_requested().await;
        if node.sweep.is_due(now, SWEEP_EVERY) {
            self.0.buckets.sweep(now);
        }
        let shared = db.engine() == Engine::Postgres;
        if shared && node.announce.is_due(now, ANNOUNCE_EVERY) {
            node.announce(db, now).await?;
        }
        if shared && node.forget_rates.is_due(now, FORGET_RATES_EVERY) {
            forget(db, "rate:", now.plus_seconds(-KEEP_RATES_SECONDS)).await?;
        }
        if node.forget_months.is_due(now, FORGET_MONTHS_EVERY) {
            forget(db, "usage", now.plus_months(-1).start_of_month()).await?;
        }
        Ok(())
    }

    /// Waits until a share runs low and `maintain` should run.
    pub async fn refill_wanted(&self) {
        self.0.refills.wanted.woken().await;
    }

    /// For a clean stop, after the last request: gives back what was leased and not used, leases what is owed, and ends
    /// the lease of this node.
    pub async fn give_back(&self) -> crate::Result<()> {
        let shares = self.0.buckets.all().into_iter().map(|bucket| self.return_share(bucket));
        let returned = stream::iter(shares).buffer_unordered(GIVE_BACK_AT_ONCE);
        returned.fold(Ok(()), |all, one| ready(all.and(one))).await?;
        if self.0.db.engine() == Engine::Postgres {
            self.0.node.leave(&self.0.db).await?;
        }
        Ok(())
    }

    async fn return_share(&self, bucket: Arc<Bucket>) -> store::Result<()> {
        let filled = bucket.filled.notified();
        let lease_pending = bucket.lock().is_lease_pending();
        if lease_pending {
            filled.await;
        }
        let (window, held) = bucket.lock().take_held();
        if held > 0 {
            store::limits::give_back(&self.0.db, bucket.demand(window, held, i64::MAX)).await?;
        } else if held < 0 {
            store::limits::lease(&self.0.db, bucket.demand(window, -held, i64::MAX)).await?;
        }
        Ok(())
    }
}

async fn forget(db: &Db, prefix: &'static str, before: Timestamp) -> store::Result<()> {
    let sweep = db.write((prefix, before), |tx, (prefix, before)| Box::pin(store::limits::forget(tx, prefix, *before)));
    sweep.await.map(drop)
}
