//! How the deliveries of an endpoint went in the last day.

use domain::delivery::webhooks::DeliveryState;
use domain::{DeliveryId, Timestamp, WebhookId};
use store::delivery::webhooks::deliveries;

use super::Webhooks;
use super::view::NO_WEBHOOK;
use crate::{ActsFor, Result};

const HOURS: i64 = 24;
/// Most deliveries that one summary reads, so that its cost is bounded.
const MOST_READ: i64 = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookSummary {
    pub hours: i64,
    /// The summary counts deliveries of events since this time: less than a day ago when there were too many to read.
    pub since: Timestamp,
    pub delivered: i64,
    /// Number of deliveries whose first attempt failed, whatever became of them.
    pub failed_at_first: i64,
    /// Number of deliveries that are neither delivered nor given up.
    pub waiting: i64,
    /// 99 of 100 delivered events were answered within this time, in microseconds.
    pub p99: Option<i64>,
}

#[boxed::futures]
impl Webhooks<'_> {
    /// Summarizes the deliveries of the last day. Tests do not count.
    pub async fn summary(&self, caller: &dyn ActsFor, id: WebhookId) -> Result<WebhookSummary> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        store::delivery::webhooks::by_id(db, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let since = self.0.now().plus_seconds(-HOURS * 3600).to_millis();
        let mut summary =
            WebhookSummary { hours: HOURS, since, delivered: 0, failed_at_first: 0, waiting: 0, p99: None };
        let (mut latencies, mut read, mut oldest) = (Vec::new(), 0, None);
        let mut visit = |one: deliveries::RecentDelivery| {
            (read, oldest) = (read + 1, Some(one.id));
            summary.failed_at_first += i64::from(one.failed_at_first);
            if one.state == DeliveryState::Delivered {
                summary.delivered += 1;
                latencies.extend(one.latency);
            } else if DeliveryState::OPEN.contains(&one.state) {
                summary.waiting += 1;
            }
        };
        deliveries::recent(db, tenant, id, DeliveryId::first_of_second(since), MOST_READ, &mut visit).await?;
        if let Some(oldest) = oldest.filter(|_| read >= MOST_READ) {
            summary.since = Timestamp::from_seconds(oldest.second());
        }
        summary.p99 = percentile(&mut latencies, 99);
        Ok(summary)
    }
}

/// The percentile by nearest rank: the smallest of the values that at least `percent` percent of the values do not
/// exceed. None without values.
fn percentile(values: &mut [i64], percent: usize) -> Option<i64> {
    let rank = (values.len() * percent).div_ceil(100).checked_sub(1)?;
    Some(*values.select_nth_unstable(rank).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        assert_eq!(percentile(&mut [], 99), None);
        assert_eq!(percentile(&mut [7], 99), Some(7));
        let mut hundred: Vec<i64> = (1..=100).rev().collect();
        assert_eq!(percentile(&mut hundred, 99), Some(99));
        assert_eq!(percentile(&mut [5, 1, 3], 99), Some(5));
    }
}
