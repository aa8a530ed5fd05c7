//! Fetches the files that people send, and keeps them.
//!
//! - The transaction that inserts a received message also inserts its fetch (`inbound/effects/messages/`), so that no crash
//!   loses it. Fetches run beside the journal: a slow or large file delays no message.
//! - At most `IN_FLIGHT` files are fetched at a time, of which one tenant has at most `TENANT_SHARE` and one channel
//!   `CHANNEL_SHARE`; channels with the fewest in flight come first, so that a burst of one delays others little.
//! - A fetch is claimed for `CLAIM_SECONDS`, and the claim is renewed while the fetch runs. After a crash any node
//!   fetches the file again when the claim has ended. What an attempt without the claim stored is dropped, since only
//!   the holder of the claim completes the file.
//! - A fetch that fails is due again later (`FetchFailure::next_attempt`), or waits until a client requests the file.
//!   The reason is stored with the fetch.
//!
//! Read on: `store_received.rs` (one attempt), `write.rs` (how the bytes are stored), `workers/src/lib.rs` (when
//! fetches run).

use std::collections::HashMap;
use std::time::Duration;

use domain::{ChannelId, FetchClaimId, Id, TenantId, Timestamp};
use store::messaging::media::fetches::{self, ClaimedFetch, WaitingChannel};
use tokio_util::task::JoinMap;

use crate::Result;
use crate::messaging::Messaging;

/// Most files that this process fetches at a time.
const IN_FLIGHT: usize = 8;
const TENANT_SHARE: usize = 6;
const CHANNEL_SHARE: usize = 4;
/// Duration of a claim in seconds: another node may fetch the file this long after the last renewal.
const CLAIM_SECONDS: i64 = 10;
const RENEW_EVERY: Duration = Duration::from_secs(3);
/// How often to look for further due fetches while some are in flight.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most channels with due fetches that one look considers.
const MOST_CHANNELS: usize = 1000;

/// The fetches in flight.
#[derive(Debug, Default)]
struct InFlight(JoinMap<ClaimedFetch, Result<()>>);

#[boxed::futures]
impl Messaging {
    /// Wakes the worker that fetches files, after the commit of a message with a file.
    pub(crate) fn file_is_announced(&self) {
        self.fetch_wakeup().wake();
    }

    /// Waits until this process has stored a message with a file, or a fetch was requested.
    pub async fn file_announced(&self) {
        self.fetch_wakeup().woken().await;
    }

    /// Fetches files until none is due and none is in flight. When `stopped` returns true, gives up the fetches in
    /// flight and makes them due at once, for the next process.
    pub async fn fetch_received(&self, stopped: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let mut running = InFlight::default();
        let mut failure = None;
        loop {
            if stopped() {
                return self.give_back(running).await;
            }
            self.start_due(&mut running).await?;
            if running.0.is_empty() {
                return failure.map_or(Ok(()), Err);
            }
            tokio::select! {
                biased;
                Some((_, outcome)) = running.0.join_next() => failure = failure.or(failure_of(outcome)),
                () = self.file_announced(), if running.0.len() < IN_FLIGHT => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }

    /// Claims due fetches and starts them, up to the shares.
    async fn start_due(&self, running: &mut InFlight) -> Result<()> {
        if running.0.len() >= IN_FLIGHT {
            return Ok(());
        }
        let mut waiting = fetches::waiting(self.db(), self.now(), MOST_CHANNELS).await?;
        while let Some(next) = running.next_channel(&waiting) {
            // One fetch at a time where several channels wait, so that they take turns.
            let limit = if waiting.len() == 1 { running.room(&next) } else { 1 };
            let claimed = self.claim_fetches(next, limit).await?;
            // Fewer than requested: the channel has no more due fetches.
            if claimed.len() < limit {
                waiting.retain(|one| *one != next);
            }
            for one in claimed {
                let messaging = self.clone();
                running.0.spawn(one, async move { messaging.fetch_claimed(one).await });
            }
        }
        Ok(())
    }

    async fn claim_fetches(&self, channel: WaitingChannel, limit: usize) -> Result<Vec<ClaimedFetch>> {
        let (now, limit) = (self.now(), i64::try_from(limit).unwrap_or(i64::MAX));
        let claim: FetchClaimId = Id::new(now);
        let input = (channel, claim, now, limit);
        let write = self.db().write(input, |tx, (channel, claim, now, limit)| {
            Box::pin(fetches::claim(tx, *channel, *claim, (*now, claim_end(*now)), *limit))
        });
        Ok(write.await?)
    }

    /// Runs one attempt and saves its outcome. Renews the claim meanwhile; when the claim is lost, ends the attempt and
    /// leaves nothing stored.
    async fn fetch_claimed(&self, claimed: ClaimedFetch) -> Result<()> {
        let media = self.media();
        let mut attempt = std::pin::pin!(media.keep_received(&claimed));
        let outcome = loop {
            tokio::select! {
                biased;
                outcome = &mut attempt => break outcome?,
                () = tokio::time::sleep(RENEW_EVERY) => {}
            }
            let input = (claimed, claim_end(self.now()));
            let renewal = self.db().write(input, |tx, (claimed, until)| Box::pin(fetches::renew(tx, claimed, *until)));
            if !renewal.await? {
                return Ok(());
            }
        };
        media.save_outcome(&claimed, outcome).await
    }

    async fn give_back(&self, mut running: InFlight) -> Result<()> {
        let claimed = running.0.keys().copied().collect();
        running.0.shutdown().await;
        let input = (claimed, self.now());
        let write = self.db().write(input, |tx, (claimed, now): &(Vec<ClaimedFetch>, Timestamp)| {
            Box::pin(async move {
                for one in claimed {
                    fetches::release(tx, one, *now).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        Ok(write.await?)
    }
}

const fn claim_end(now: Timestamp) -> Timestamp {
    now.plus_seconds(CLAIM_SECONDS)
}

/// The failure of a finished task. A task that panicked leaves its claim, which ends by its time.
fn failure_of(outcome: Result<Result<()>, tokio::task::JoinError>) -> Option<crate::Error> {
    outcome.unwrap_or_else(|_| Err(store::Error::Panicked.into())).err()
}

impl InFlight {
    /// The channel with the fewest fetches in flight among those that may start one: by its tenant's number first, then
    /// by its own, then the one that is due first.
    fn next_channel(&self, waiting: &[WaitingChannel]) -> Option<WaitingChannel> {
        let (mut tenants, mut channels) = (HashMap::<TenantId, usize>::new(), HashMap::<ChannelId, usize>::new());
        for one in self.0.keys() {
            *tenants.entry(one.tenant).or_default() += 1;
            *channels.entry(one.channel).or_default() += 1;
        }
        let load = |one: &WaitingChannel| {
            (
                tenants.get(&one.tenant).copied().unwrap_or_default(),
                channels.get(&one.channel).copied().unwrap_or_default(),
            )
        };
        let with_room = waiting.iter().filter(|one| self.room(one) > 0);
        with_room.min_by_key(|one| (load(one), one.due_at)).copied()
    }

    /// How many more fetches the channel may start now.
    fn room(&self, channel: &WaitingChannel) -> usize {
        let of_tenant = self.0.keys().filter(|one| one.tenant == channel.tenant).count();
        let of_channel = self.0.keys().filter(|one| one.channel == channel.channel).count();
        (IN_FLIGHT.saturating_sub(self.0.len()))
            .min(TENANT_SHARE.saturating_sub(of_tenant))
            .min(CHANNEL_SHARE.saturating_sub(of_channel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn channel(tenant: i64, due: i64) -> WaitingChannel {
        let tenant = TenantId::from_number(tenant);
        WaitingChannel { tenant, channel: Id::new(NOW), due_at: NOW.plus_seconds(due) }
    }

    /// Starts fetches until no channel has room, as if every channel had enough of them.
    fn fill(waiting: &[WaitingChannel]) -> (InFlight, Vec<usize>) {
        let mut running = InFlight::default();
        while let Some(next) = running.next_channel(waiting) {
            for _ in 0..running.room(&next).min(1) {
                let WaitingChannel { tenant, channel, .. } = next;
                let one = ClaimedFetch { tenant, channel, message: Id::new(NOW), claim: Id::new(NOW), attempts: 1 };
                running.0.spawn(one, std::future::pending());
            }
        }
        let count = |one: &WaitingChannel| running.0.keys().filter(|two| two.channel == one.channel).count();
        let counts = waiting.iter().map(count).collect();
        (running, counts)
    }

    #[tokio::test]
    async fn one_channel_and_one_tenant_have_their_shares() {
        assert_eq!(fill(&[channel(1, 0)]).1, [CHANNEL_SHARE]);
        assert_eq!(fill(&[channel(1, 0), channel(1, 1), channel(1, 2)]).1, [2, 2, 2]);
        assert_eq!(fill(&[channel(1, 0), channel(2, 0)]).1, [4, 4]);
        assert_eq!(fill(&[channel(1, 0), channel(1, 0), channel(1, 0), channel(2, 5)]).1, [2, 1, 1, 4]);
    }

    #[tokio::test]
    async fn a_place_that_becomes_free_goes_to_the_channel_with_the_fewest() {
        let late = channel(3, 60);
        let (mut running, counts) = fill(&[channel(1, 0), channel(2, 0)]);
        assert_eq!((counts, running.room(&late)), (vec![4, 4], 0));
        let first = *running.0.keys().next().unwrap();
        running.0.abort(&first);
        running.0.join_next().await;
        let early = WaitingChannel { tenant: first.tenant, channel: first.channel, due_at: NOW };
        assert_eq!(running.next_channel(&[early, late]), Some(late));
    }
}
