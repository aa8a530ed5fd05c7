//! This node among those that share a database: its lease, how many nodes live, and when its background work is due.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::{Clock, Timestamp};
use store::Db;

use crate::base::interval::Interval;

/// How many seconds a node counts as live after it last announced itself.
const PRESENT_SECONDS: i64 = 10;
pub(super) const ANNOUNCE_EVERY: i64 = 4;
pub(super) const SWEEP_EVERY: i64 = 10;
pub(super) const FORGET_RATES_EVERY: i64 = 60;
pub(super) const FORGET_MONTHS_EVERY: i64 = 60 * 60;
const NODES: &str = "node:";
/// The number of nodes that is assumed until a node has counted them, so that nodes that start together take small
/// shares.
const NODES_AT_START: i64 = 4;

/// This node, as the limiter sees it.
#[derive(Debug)]
pub(super) struct Node {
    name: String,
    live: AtomicI64,
    pub announce: Interval,
    pub sweep: Interval,
    pub forget_rates: Interval,
    pub forget_months: Interval,
}

impl Node {
    pub fn new(clock: &Clock) -> Self {
        let now = clock.now().seconds();
        Self {
            name: format!("{NODES}{:016x}", rand::random::<u64>()),
            live: AtomicI64::new(NODES_AT_START),
            announce: Interval::at(now),
            sweep: Interval::at(now + SWEEP_EVERY),
            forget_rates: Interval::at(now + FORGET_RATES_EVERY),
            forget_months: Interval::at(now),
        }
    }

    pub fn live(&self) -> i64 {
        self.live.load(Ordering::Relaxed)
    }

    pub async fn announce(&self, db: &Db, now: Timestamp) -> store::Result<()> {
        let until = now.plus_seconds(PRESENT_SECONDS);
        let live = store::base::leases::acquire_and_list(db, &self.name, NODES, &self.name, now, until).await?;
        self.live.store(i64::try_from(live.len()).unwrap_or(i64::MAX).max(1), Ordering::Relaxed);
        Ok(())
    }

    pub async fn leave(&self, db: &Db) -> store::Result<()> {
        db.write(self.name.clone(), |tx, name| Box::pin(store::base::leases::release(tx, name, name))).await
    }
}
