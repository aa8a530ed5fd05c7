//! Broadcasts: lists, statistics, recipients, and stopping. `messages` creates them.

mod cancel;
mod recipients;
mod retry;

pub use recipients::{BroadcastRecipient, FailedCode, FailureCause, RecipientFilter, RecipientPage};
pub use retry::RetryDeadline;

use std::collections::HashMap;

use domain::messaging::broadcasts::{
    Broadcast, BroadcastProgress, BroadcastStatus, CumulativeStatistics, RecipientStatus, Statistics,
};
use domain::messaging::channels::Channel;
use domain::messaging::messages::MessageState;
use domain::{BroadcastId, Field, Timestamp};
use store::messaging::broadcasts::StateCounts;

use crate::base::page_request::PageRequest;
use crate::messaging::Messaging;
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct Broadcasts<'a>(&'a Messaging);

impl Messaging {
    pub fn broadcasts(&self) -> Broadcasts<'_> {
        Broadcasts(self)
    }
}

const NO_BROADCAST: Error = Error::NotFound(Thing::Broadcast);

/// Selects broadcasts by time of creation, channel and name. An absent member selects all.
#[derive(Debug, Clone, Default)]
pub struct BroadcastFilter {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Name, phone number or id of a channel.
    pub channel: Option<String>,
    /// Part of the broadcast's name, in any letter case.
    pub name_part: Option<String>,
}

/// A broadcast with its status and channel.
#[derive(Debug, Clone)]
pub struct BroadcastView {
    pub broadcast: Broadcast,
    pub status: BroadcastStatus,
    pub last_updated: Timestamp,
    /// None when the channel was removed.
    pub channel: Option<Channel>,
}

/// A broadcast with its channel and the counts of its recipients.
#[derive(Debug, Clone)]
pub struct BroadcastDetails {
    pub view: BroadcastView,
    pub statistics: CumulativeStatistics,
    /// Recipients who opened a link of their message.
    pub clicked: i64,
}

/// The counts of a broadcast's recipients.
#[derive(Debug, Clone, Copy)]
pub struct RecipientCounts {
    pub statistics: CumulativeStatistics,
    /// Recipients who opened a link of their message.
    pub clicked: i64,
}

impl BroadcastView {
    fn new(broadcast: Broadcast, progress: BroadcastProgress, channels: &[Channel], now: Timestamp) -> Self {
        let channel = channels.iter().find(|one| one.id == broadcast.channel_id).cloned();
        let (status, last_updated) = (broadcast.status(progress, now), broadcast.last_updated(now));
        Self { broadcast, status, last_updated, channel }
    }
}

#[boxed::futures]
impl Broadcasts<'_> {
    /// Returns a page, the latest created first, and the number of broadcasts on all pages.
    pub async fn list(
        &self,
        caller: &dyn ActsFor,
        filter: &BroadcastFilter,
        page: PageRequest,
    ) -> Result<(Vec<BroadcastView>, i64)> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let channels = self.0.channels().list(caller).await?;
        let (name, filter) = (filter.name_part.as_deref(), resolve(filter, &channels)?);
        let total = store::messaging::broadcasts::count(db, tenant, &filter, name).await?;
        let found = store::messaging::broadcasts::list(db, tenant, &filter, name, (page.size(), page.offset())).await?;
        let ids: Vec<BroadcastId> = found.iter().map(|one| one.id).collect();
        let (progress, now) = (store::messaging::broadcasts::progress(db, tenant, &ids).await?, self.0.now());
        let view = |one: Broadcast| {
            let progress = progress.get(&one.id).copied().unwrap_or_default();
            BroadcastView::new(one, progress, &channels, now)
        };
        Ok((found.into_iter().map(view).collect(), total))
    }

    /// The counts of the recipients of each of these broadcasts.
    pub async fn counts(
        &self,
        caller: &dyn ActsFor,
        broadcasts: &[Broadcast],
    ) -> Result<HashMap<BroadcastId, RecipientCounts>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let counts = store::messaging::broadcasts::state_counts(db, tenant, broadcasts, self.0.now()).await?;
        let ids: Vec<BroadcastId> = counts.keys().copied().collect();
        let clicked = store::messaging::clicks::count_clicked(db, tenant, &ids).await?;
        let all = counts.into_iter().map(|(id, counts)| {
            let clicked = clicked.get(&id).copied().unwrap_or_default();
            (id, RecipientCounts { statistics: statistics(&counts), clicked })
        });
        Ok(all.collect())
    }

    pub async fn find(&self, caller: &dyn ActsFor, id: BroadcastId) -> Result<BroadcastDetails> {
        let channels = self.0.channels().list(caller).await?;
        let (broadcast, counts) = self.find_with_counts(caller, id).await?;
        let clicked = store::messaging::clicks::count_clicked(self.0.db(), caller.tenant(), &[id]).await?;
        let statistics = statistics(&counts);
        let messages = statistics.total() - counts.refused;
        let progress = statistics.by_status.progress();
        let progress = BroadcastProgress { failed: progress.failed - counts.refused, messages, ..progress };
        let view = BroadcastView::new(broadcast, progress, &channels, self.0.now());
        Ok(BroadcastDetails { view, statistics, clicked: clicked.get(&id).copied().unwrap_or_default() })
    }

    /// Adds up the counts of the recipients of all selected broadcasts.
    pub async fn overview(&self, caller: &dyn ActsFor, filter: &BroadcastFilter) -> Result<CumulativeStatistics> {
        let range = resolve(filter, &self.0.channels().list(caller).await?)?;
        let (name, now) = (filter.name_part.as_deref(), self.0.now());
        let counts = store::messaging::broadcasts::overview(self.0.db(), caller.tenant(), &range, name, now).await?;
        Ok(counts.map_or_else(CumulativeStatistics::default, |counts| statistics(&counts)))
    }

    /// Counts the links that people followed in the messages of all selected broadcasts. Each link of each message
    /// counts at most once.
    pub async fn links(&self, caller: &dyn ActsFor, filter: &BroadcastFilter) -> Result<i64> {
        let range = resolve(filter, &self.0.channels().list(caller).await?)?;
        let name = filter.name_part.as_deref();
        Ok(store::messaging::clicks::count_followed(self.0.db(), caller.tenant(), &range, name).await?)
    }

    async fn find_with_counts(&self, caller: &dyn ActsFor, id: BroadcastId) -> Result<(Broadcast, StateCounts)> {
        let found =
            store::messaging::broadcasts::find_with_counts(self.0.db(), caller.tenant(), id, self.0.now()).await?;
        found.ok_or(NO_BROADCAST)
    }
}

fn resolve(filter: &BroadcastFilter, channels: &[Channel]) -> Result<store::messaging::broadcasts::BroadcastRange> {
    let channel = |name: &String| {
        let found = channels.iter().find(|channel| channel.matches(name)).map(|channel| channel.id);
        found.ok_or_else(|| Error::NoChannel { place: Field::Channel.into(), name: name.clone() })
    };
    Ok(store::messaging::broadcasts::BroadcastRange {
        from: filter.from.unwrap_or(Timestamp::from_micros(0)),
        to: filter.to.unwrap_or(Timestamp::from_micros(i64::MAX)),
        channel: filter.channel.as_ref().map(channel).transpose()?,
    })
}

fn statistics(counts: &StateCounts) -> CumulativeStatistics {
    let mut statistics = Statistics::default();
    for state in MessageState::ALL {
        statistics.add(RecipientStatus::from_state(*state), counts.get(*state));
    }
    // Messages before their scheduled time are pending and not queued.
    statistics.add(RecipientStatus::from_state(MessageState::Accepted), -counts.early);
    statistics.add(RecipientStatus::when_early(MessageState::Accepted), counts.early);
    statistics.add(RecipientStatus::Failed, counts.refused);
    CumulativeStatistics { by_status: statistics, failed_after_sent: counts.failed_after_sent }
}
