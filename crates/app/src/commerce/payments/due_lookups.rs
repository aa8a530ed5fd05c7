//! Runs the look-ups that are due: to confirm what a webhook claimed, and to find payments whose webhook was lost.
//!
//! - One node at a time claims look-ups, under the lease `payments`, so that one rate limiter counts them. The lease is
//!   not renewed while the network is asked about a batch: after `LEASE_SECONDS` another node may claim further
//!   look-ups.
//! - A claimed look-up is due again after `CLAIM_SECONDS`. A node that crashes before it has stored the answer, or
//!   whose database fails, loses nothing: the node that holds the lease then asks again.
//! - An answer is a fact of the ledger: a late or repeated answer cannot undo what is known about the payment.
//!
//! When a look-up is due is decided in `domain::commerce::payments::lookups`; `workers` calls
//! [`Payments::look_up_due`].

use std::sync::Arc;

use domain::Timestamp;
use domain::commerce::payments::PaymentFact;
use futures_util::future::join_all;
use store::Tx;
use store::commerce::orders::DueLookup;

use super::lookup::LookupOutcome;
use super::rate_limiter::{LookupRateLimiter, Slot};
use super::{Payments, save_and_emit};
use crate::Result;

const LEASE: &str = "payments";
const LEASE_SECONDS: i64 = 10;
/// Most look-ups that one transaction claims.
const BATCH: i64 = 100;
const MOST_IN_FLIGHT: usize = 16;
/// Seconds after which a claimed look-up is due again, unless its answer is stored before. Asking the network twice
/// does no harm.
const CLAIM_SECONDS: i64 = 120;
/// Most characters of a stored reason.
const MAX_REASON: usize = 500;

/// The look-ups to run now, and the rate limiter after their slots were reserved.
type Claimed = (Vec<DueLookup>, LookupRateLimiter);

#[boxed::futures]
impl Payments<'_> {
    /// Runs look-ups until none is due, another node holds the lease, `stopped` returns true, or the database fails.
    /// Look-ups that the rate limiter does not allow now become due at a later slot.
    pub async fn look_up_due(&self, stopped: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        while !stopped() {
            let now = self.0.now();
            if store::commerce::orders::next_lookup(self.0.db()).await?.is_none_or(|next| next > now) {
                return Ok(());
            }
            let Some(claimed) = self.claim(now).await? else { return Ok(()) };
            for some in claimed.chunks(MOST_IN_FLIGHT) {
                let asked = join_all(some.iter().map(|due| self.look_up(due))).await;
                asked.into_iter().collect::<Result<()>>()?;
            }
        }
        Ok(())
    }

    /// Claims look-ups. None when another node holds the lease.
    async fn claim(&self, now: Timestamp) -> store::Result<Option<Vec<DueLookup>>> {
        let mut limiter = self.0.lookup_limiter().lock().clone();
        limiter.drop_idle(now);
        let input = (self.0.node_name().to_owned(), limiter, now);
        let claimed =
            self.0.db().write(input, |tx, (holder, limiter, now): &(String, LookupRateLimiter, Timestamp)| {
                Box::pin(claim(tx, holder, limiter.clone(), *now))
            });
        let claimed: Option<Claimed> = claimed.await?;
        Ok(claimed.map(|(due, limiter)| {
            *self.0.lookup_limiter().lock() = limiter;
            due
        }))
    }

    async fn look_up(&self, due: &DueLookup) -> Result<()> {
        let outcome = self.ask_network(due).await?;
        if let Some(pause) = outcome.pause() {
            let seconds = i64::try_from(pause.as_secs()).unwrap_or(i64::MAX);
            self.0.lookup_limiter().lock().pause(due.channel_id, self.0.now().plus_seconds(seconds));
        }
        let input = (due.clone(), Arc::new(outcome), self.0.now());
        let write = self.0.db().write(input, |tx, (due, outcome, now): &(DueLookup, Arc<LookupOutcome>, Timestamp)| {
            Box::pin(record(tx, due, outcome, *now))
        });
        if let Some(reason) = write.await? {
            report_failure(due, &reason);
        }
        Ok(())
    }
}

async fn claim(
    tx: &mut Tx<'_>,
    holder: &str,
    mut limiter: LookupRateLimiter,
    now: Timestamp,
) -> store::Result<Option<Claimed>> {
    if store::base::leases::acquire(tx, LEASE, holder, now, now.plus_seconds(LEASE_SECONDS)).await?.is_none() {
        return Ok(None);
    }
    let due = store::commerce::orders::due_lookups(tx, now, BATCH).await?;
    let slots: Vec<Slot> = due.iter().map(|one| limiter.reserve(one.channel_id, now)).collect();
    let until = |slot: &Slot| match slot {
        Slot::Now => now.plus_seconds(CLAIM_SECONDS),
        Slot::At(at) => *at,
    };
    let postponed: Vec<(&DueLookup, Timestamp)> =
        due.iter().zip(&slots).map(|(one, slot)| (one, until(slot))).collect();
    store::commerce::orders::postpone_lookups(tx, &postponed).await?;
    let asked = due.into_iter().zip(slots).filter(|(_, slot)| *slot == Slot::Now).map(|(one, _)| one).collect();
    Ok(Some((asked, limiter)))
}

/// Stores the answer, or the reason why there is none, and when the next look-up is due. Returns the reason of a failed
/// look-up if it differs from the stored one.
async fn record(tx: &mut Tx<'_>, due: &DueLookup, outcome: &LookupOutcome, now: Timestamp) -> Result<Option<String>> {
    let Some(order) = store::commerce::orders::by_id(tx, due.tenant, due.id).await? else { return Ok(None) };
    let mut after = order.clone();
    let (changed, pause) = match outcome {
        LookupOutcome::Answered(answer) => {
            after.lookup_error = None;
            (after.apply_fact(&PaymentFact::Lookup(answer.clone())), None)
        }
        LookupOutcome::Failed { reason, pause } => {
            after.lookup_error = Some(reason.chars().filter(|c| *c != '\0').take(MAX_REASON).collect());
            (false, *pause)
        }
    };
    after.attempts = after.attempts.record(now, changed, pause);
    let new_reason = after.lookup_error.clone().filter(|_| after.lookup_error != order.lookup_error);
    save_and_emit(tx, due.tenant, &order, after, now).await?;
    Ok(new_reason)
}

fn report_failure(due: &DueLookup, reason: &str) {
    metrics::counter!("switchboard_payment_lookups_failed_total").increment(1);
    let DueLookup { tenant, id, channel_id, .. } = due;
    tracing::warn!(%tenant, order = %id, channel = %channel_id, reason, "a payment look-up failed and will be tried again");
}
