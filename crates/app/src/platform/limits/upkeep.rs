//! Background work of the limiter: fills shares up, counts the live nodes, drops past windows.
//!
//! On PostgreSQL a node announces itself with a lease of its own name; the number of live leases is the number of
//! nodes, by which the shares are divided. A node that crashes counts until its lease ends, and its unused shares are
//! lost. A clean stop gives unused shares back and leases what the node owes.

use std::sync::Arc;

use domain::Timestamp;
use futures_util::future::ready;
use futures_util::stream::{self, StreamExt as _};
use store::{Db, Engine};

use super::Limiter;
use super::bucket::Bucket;
use super::node::{ANNOUNCE_EVERY, FORGET_MONTHS_EVERY, FORGET_RATES_EVERY, SWEEP_EVERY};

/// The database keeps a rate window this long after its start, because the clocks of nodes differ.
const KEEP_RATES_SECONDS: i64 = 10 * 60;
/// The database keeps the mails of a day this long after its start.
const KEEP_MAIL_COUNTS_SECONDS: i64 = 2 * 86_400;
/// Most shares that are given back at the same time when the process ends.
const GIVE_BACK_AT_ONCE: usize = 64;

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
            forget(db, store::identity::mail_counts::PREFIX, now.plus_seconds(-KEEP_MAIL_COUNTS_SECONDS)).await?;
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
        let (window, unused) = bucket.lock().take_unused();
        if unused > 0 {
            store::platform::limits::give_back(&self.0.db, bucket.demand(window, unused, i64::MAX)).await?;
        } else if unused < 0 {
            store::platform::limits::lease(&self.0.db, bucket.demand(window, -unused, i64::MAX)).await?;
        }
        Ok(())
    }
}

async fn forget(db: &Db, prefix: &'static str, before: Timestamp) -> store::Result<()> {
    let sweep = db
        .write((prefix, before), |tx, (prefix, before)| Box::pin(store::platform::limits::sweep(tx, prefix, *before)));
    sweep.await.map(drop)
}
