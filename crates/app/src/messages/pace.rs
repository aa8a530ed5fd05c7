//! How fast a channel may send, and when a waiting message is likely to leave.

use domain::messages::Urgency;
use domain::pacing::{Limits, estimate};
use domain::{ChannelId, Id, MessageId, TenantId, Timestamp};
use store::outbox::Place;

use crate::{App, Result};

/// What stands before a message that would be accepted now.
#[derive(Debug, Clone, Copy)]
pub struct Queue {
    limits: Limits,
    ahead: u64,
    from: Timestamp,
}

impl Queue {
    /// When the message would leave that so many others are accepted with before it.
    pub fn leaves_at(&self, before: usize) -> Timestamp {
        let before = u64::try_from(before).unwrap_or(u64::MAX);
        estimate(&self.limits, self.ahead.saturating_add(before), self.from).to_millis()
    }
}

/// Counted no further: nobody needs to know how many hours more than three it takes.
const MOST_AHEAD: i64 = 1_000_000;

impl App {
    /// The installation's limits, with the network's own limit of new people where it has told one.
    pub(super) async fn limits_of(&self, tenant: TenantId, channel: ChannelId) -> Result<Limits> {
        let stored = store::channels::find(self.db(), tenant, channel).await?;
        let quality = stored.and_then(|stored| stored.channel.quality);
        let new_people = quality.and_then(|quality| quality.limit).and_then(|limit| people_of(&limit));
        Ok(Limits { new_people: new_people.or(self.pacing().new_people), ..self.pacing() })
    }

    /// When a message that waits is likely to leave; none when it does not wait.
    pub async fn leaves_at(&self, tenant: TenantId, message: MessageId) -> Result<Option<Timestamp>> {
        let Some(place) = store::outbox::place(self.db(), tenant, message).await? else { return Ok(None) };
        Ok(Some(self.queue_before(tenant, &place, message).await?.leaves_at(0)))
    }

    /// The queue that a message would stand in which is not stored.
    pub async fn queue(
        &self,
        tenant: TenantId,
        channel_id: ChannelId,
        urgency: Urgency,
        due_at: Timestamp,
    ) -> Result<Queue> {
        let place = Place {
            channel_id,
            priority: urgency.rank(),
            due_at,
            expires_at: urgency.expires(due_at),
            is_taken: false,
        };
        self.queue_before(tenant, &place, Id::new(self.now())).await
    }

    async fn queue_before(&self, tenant: TenantId, place: &Place, message: MessageId) -> Result<Queue> {
        let ahead = store::outbox::ahead(self.db(), tenant, place, message, MOST_AHEAD).await?;
        let limits = self.limits_of(tenant, place.channel_id).await?;
        Ok(Queue { limits, ahead: u64::try_from(ahead).unwrap_or(0), from: place.due_at.max(self.now()) })
    }
}

/// `TIER_1K` and its like; none is unlimited.
fn people_of(tier: &str) -> Option<u32> {
    let size = tier.strip_prefix("TIER_")?;
    match size.strip_suffix('K') {
        Some(thousands) => thousands.parse::<u32>().ok()?.checked_mul(1000),
        None => size.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_of_the_network() {
        let tiers = ["TIER_50", "TIER_250", "TIER_1K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED", "TIER_NOT_SET", ""];
        let people = [Some(50), Some(250), Some(1000), Some(10_000), Some(100_000), None, None, None];
        assert_eq!(tiers.map(people_of), people);
    }
}
