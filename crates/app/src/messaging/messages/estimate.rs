//! How fast a channel may send, and when a waiting message is likely to be sent.

use domain::messaging::messages::Urgency;
use domain::messaging::pacing::{Limits, estimate};
use domain::{ChannelId, Id, MessageId, TenantId, Timestamp};
use store::messaging::outbox::QueuePosition;

use crate::messaging::Messaging;
use crate::{ActsFor, Result};

/// The messages ahead of a message in its channel's queue, and how fast they leave.
#[derive(Debug, Clone, Copy)]
pub struct QueueEstimate {
    limits: Limits,
    ahead: u64,
    from: Timestamp,
}

impl QueueEstimate {
    /// The estimated time of sending, with `before` further messages of the same request ahead of the message.
    pub fn send_time(&self, before: usize) -> Timestamp {
        let before = u64::try_from(before).unwrap_or(u64::MAX);
        estimate(&self.limits, self.ahead.saturating_add(before), self.from).to_millis()
    }
}

/// Messages ahead are counted up to this number. At 80 a second, that is more than three hours of sending: an estimate
/// needs no more.
const MAX_COUNTED_AHEAD: i64 = 1_000_000;

#[boxed::futures]
impl Messaging {
    /// The sending limits of a channel: those of the installation, with the network's own limit of new people if the
    /// network has reported one.
    pub(super) async fn pacing_limits(&self, tenant: TenantId, channel: ChannelId) -> Result<Limits> {
        let stored = store::messaging::channels::find(self.db(), tenant, channel).await?;
        let quality = stored.and_then(|stored| stored.channel.quality);
        let new_people = quality.and_then(|quality| quality.limit).and_then(|limit| tier_size(&limit));
        Ok(Limits { new_people: new_people.or(self.pacing().new_people), ..*self.pacing() })
    }

    /// Estimates when a message will be sent; none when it is not in the outbox.
    pub async fn estimate_send_time(&self, caller: &dyn ActsFor, message: MessageId) -> Result<Option<Timestamp>> {
        let tenant = caller.tenant();
        let Some(position) = store::messaging::outbox::position(self.db(), tenant, message).await? else {
            return Ok(None);
        };
        Ok(Some(self.queue_before(tenant, &position, message).await?.send_time(0)))
    }

    /// Estimates the queue ahead of a message that would be accepted now.
    pub async fn estimate_queue(
        &self,
        caller: &dyn ActsFor,
        channel_id: ChannelId,
        urgency: Urgency,
        due_at: Timestamp,
    ) -> Result<QueueEstimate> {
        let position = QueuePosition {
            channel_id,
            priority: urgency.rank(),
            due_at,
            expires_at: urgency.expires(due_at),
            is_claimed: false,
        };
        self.queue_before(caller.tenant(), &position, Id::new(self.now())).await
    }

    async fn queue_before(
        &self,
        tenant: TenantId,
        position: &QueuePosition,
        message: MessageId,
    ) -> Result<QueueEstimate> {
        let ahead =
            store::messaging::outbox::count_ahead(self.db(), tenant, position, message, MAX_COUNTED_AHEAD).await?;
        let limits = self.pacing_limits(tenant, position.channel_id).await?;
        Ok(QueueEstimate { limits, ahead: u64::try_from(ahead).unwrap_or(0), from: position.due_at.max(self.now()) })
    }
}

/// The number of people of a messaging tier such as `TIER_1K`; none where the tier is unlimited or unknown.
fn tier_size(tier: &str) -> Option<u32> {
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
        assert_eq!(tiers.map(tier_size), people);
    }
}
