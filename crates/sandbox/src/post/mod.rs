//! Posts due webhooks of the sandbox, signed like the network's, to Switchboard's own hook or, where the setting
//! `sandbox.hook_url` is set, to that URL of a program that is tested against the sandbox.
//!
//! Runs as a background loop (`server/src/serve/sandbox_listeners.rs`). One node posts at a time: it holds the lease
//! `sandbox/post` and checks it before every post, so the first posts of a channel's changes are in order. A webhook
//! that is not accepted is retried with growing pauses for seven days; later changes do not wait for it.
//!
//! Invariant: a row of `sandbox_due` is deleted only after its webhook was answered with 200, its act was performed or
//! skipped as impossible, or it was given up (after seven days, because the channel was removed, or because its
//! document is unreadable). After a crash the next lease holder posts the change again; receivers must tolerate
//! repeats, as with the real network. Faults on webhooks (duplicate, reorder, delay, batch) are applied in
//! `post/apply_faults.rs`.

mod apply_faults;
mod envelope;
mod group;
mod send;

use std::sync::atomic::Ordering;

use domain::{ChannelId, TenantId, Timestamp};
use store::platform::sandbox::due::{self, Due};

use crate::Sandbox;

/// Name of the lease: its holder is the one node that posts, so that changes keep their order.
const LEASE: &str = "sandbox/post";
/// Lease duration: far longer than one post. The holder renews the lease after half of it.
const LEASE_SECONDS: i64 = 15;
const HALF_MICROS: i64 = LEASE_SECONDS * 500_000;
/// Pause before this node tries to take the lease again while another node holds it.
const AGAIN_SECONDS: i64 = 1;
/// Maximum number of rows read per round; `ROUNDS` is the maximum number of rounds per call of `post_due`.
const ROWS: i64 = 500;
const ROUNDS: usize = 100;

/// Result of a round over one channel.
enum Step {
    Moved,
    /// Nothing was posted: a fault waits for more changes, at most until this time.
    Waiting(Timestamp),
}

#[boxed::futures]
impl Sandbox {
    /// Wakes the posting loop; called after the transaction that scheduled something.
    pub(crate) fn wake(&self) {
        self.posting().scheduled.wake();
    }

    /// Waits until this process schedules something; returns at once if it has since the last call.
    pub async fn wait_due(&self) {
        self.posting().scheduled.woken().await;
    }

    /// A key for `schedule` that keeps changes of the same instant in the order of scheduling.
    pub(crate) fn due_key(&self, id: &str) -> String {
        format!("{:012}:{id}", self.posting().made.fetch_add(1, Ordering::Relaxed))
    }

    /// Posts due changes and performs due acts; returns the time at which to call again, none if nothing is scheduled.
    pub async fn post_due(&self) -> store::Result<Option<Timestamp>> {
        let now = self.now();
        // Usually nothing is due; then the lease is not taken and nothing is written.
        match due::first(self.db()).await? {
            Some(first) if first <= now => self.rounds().await,
            later => Ok(later),
        }
    }

    /// Whether this node holds the lease; takes or renews it when necessary.
    async fn holds_lease(&self) -> store::Result<bool> {
        let now = self.now();
        let until = now.plus_seconds(LEASE_SECONDS);
        if self.posting().ours_until.load(Ordering::Relaxed).saturating_sub(now.micros()) > HALF_MICROS {
            return Ok(true);
        }
        let input = (self.app().node_name().to_owned(), now, until);
        let take = self.db().write(input, |tx, (holder, now, until)| {
            Box::pin(store::base::leases::acquire(tx, LEASE, holder, *now, *until))
        });
        let ours = take.await?.is_some();
        self.posting().ours_until.store(if ours { until.micros() } else { 0 }, Ordering::Relaxed);
        Ok(ours)
    }

    /// Repeats rounds until nothing more can be posted. A round posts the webhooks of one plan per channel, so that no
    /// channel waits until another has none left.
    async fn rounds(&self) -> store::Result<Option<Timestamp>> {
        for _ in 0..ROUNDS {
            let now = self.now();
            let (mut moved, mut held) = (false, None);
            for rows in by_channel(due::list_due(self.db(), now, ROWS).await?) {
                if !self.holds_lease().await? {
                    return Ok(Some(self.now().plus_seconds(AGAIN_SECONDS)));
                }
                match self.group(rows, now).await? {
                    Step::Moved => moved = true,
                    Step::Waiting(until) => held = earlier(held, Some(until)),
                }
            }
            if !moved {
                return Ok(earlier(held, due::next(self.db(), now).await?));
            }
        }
        Ok(Some(self.now()))
    }
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

/// Groups rows by channel, in the order of each channel's first row.
fn by_channel(due: Vec<Due>) -> Vec<Vec<Due>> {
    let mut groups: Vec<((TenantId, ChannelId), Vec<Due>)> = Vec::new();
    for row in due {
        let key = (row.tenant, row.channel);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups.into_iter().map(|(_, rows)| rows).collect()
}
