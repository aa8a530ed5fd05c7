//! Posting webhooks: what is due goes out signed, in order for each channel, and is tried again until it is taken.

mod apply_faults;
mod envelope;
mod group;
mod send;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use domain::{ChannelId, TenantId, Timestamp};
use store::sandbox::due::{self, Due};
use tokio::sync::Notify;

use crate::Sandbox;

/// Only one node posts at a time, so that the order holds.
const LEASE: &str = "sandbox/post";
/// Far longer than one webhook may take. Whoever holds it keeps it, and extends it when half of it is over.
const LEASE_SECONDS: i64 = 15;
const HALF_MICROS: i64 = LEASE_SECONDS * 500_000;
/// When somebody else is posting, we look again after this time.
const AGAIN_SECONDS: i64 = 1;
/// Rows that are looked at in one round, and rounds until the caller is asked to come again.
const ROWS: i64 = 500;
const ROUNDS: usize = 100;

/// This node's part in posting.
#[derive(Debug, Default)]
pub(crate) struct PostingState {
    scheduled: Notify,
    made: AtomicU64,
    /// Until when nobody else can take the lease, in microseconds.
    ours_until: AtomicI64,
}

/// How a round over one channel went.
enum Step {
    Moved,
    /// Nothing was posted: more is waited for, until then.
    Held(Timestamp),
}

impl Sandbox {
    /// Something was scheduled: to be called after the transaction.
    pub(crate) fn wake(&self) {
        self.posting().scheduled.notify_one();
    }

    /// Returns when this process has scheduled something since the last return.
    pub async fn wait_due(&self) {
        self.posting().scheduled.notified().await;
    }

    /// A key for `schedule` that keeps what was scheduled for one instant in the order in which it was.
    pub(crate) fn due_key(&self, id: &str) -> String {
        format!("{:012}:{id}", self.posting().made.fetch_add(1, Ordering::Relaxed))
    }

    /// Posts what is due, and answers when something is due next.
    pub async fn post_due(&self) -> store::Result<Option<Timestamp>> {
        let now = self.now();
        // Most of the time there is nothing to do, and then nothing is written.
        if due::take(self.db(), now, 1).await?.is_empty() {
            return due::next(self.db(), now).await;
        }
        self.rounds().await
    }

    /// Is it for this node to post?
    async fn holds_lease(&self) -> store::Result<bool> {
        let now = self.now();
        let until = now.plus_seconds(LEASE_SECONDS);
        if self.posting().ours_until.load(Ordering::Relaxed).saturating_sub(now.micros()) > HALF_MICROS {
            return Ok(true);
        }
        let input = (self.app().node_name().to_owned(), now, until);
        let take = self
            .db()
            .write(input, |tx, (holder, now, until)| Box::pin(store::leases::take(tx, LEASE, holder, *now, *until)));
        let ours = take.await?.is_some();
        self.posting().ours_until.store(if ours { until.micros() } else { 0 }, Ordering::Relaxed);
        Ok(ours)
    }

    /// Each round posts at most one webhook for each channel, so that none waits for the others.
    async fn rounds(&self) -> store::Result<Option<Timestamp>> {
        for _ in 0..ROUNDS {
            let now = self.now();
            let (mut moved, mut held) = (false, None);
            for rows in by_channel(due::take(self.db(), now, ROWS).await?) {
                if !self.holds_lease().await? {
                    return Ok(Some(self.now().plus_seconds(AGAIN_SECONDS)));
                }
                match self.group(rows, now).await? {
                    Step::Moved => moved = true,
                    Step::Held(until) => held = earlier(held, Some(until)),
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

/// Channels in the order of their first row, rows in theirs.
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
