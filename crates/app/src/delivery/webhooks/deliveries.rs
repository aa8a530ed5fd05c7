//! The deliveries of an endpoint: the list, a single one with its attempts, and a retry at the request of a client.

use domain::delivery::webhooks::{AttemptErrorCode, AttemptTrace, Delivery, DeliveryState, WebhookStatus};
use domain::{DeliveryId, Field, Id, Timestamp, WebhookId};
use serde_json::json;
use store::delivery::webhooks::deliveries;

use super::Webhooks;
use super::view::NO_WEBHOOK;
use crate::base::cursor;
use crate::{ActsFor, Error, Result, Thing};

/// Most deliveries that one page reads while it searches for those of one state. A page that ends because of this may
/// be short and has a cursor.
const MOST_LOOKED_AT: usize = 5000;
const BATCH: i64 = 500;
const AREA: &[u8] = b"webhook_deliveries";
/// An id greater than or equal to every id.
const LAST: [u8; 12] = [0xff; 12];

const NO_DELIVERY: Error = Error::NotFound(Thing::Delivery);

/// A page of deliveries, the newest first.
#[derive(Debug)]
pub struct DeliveryPage {
    pub deliveries: Vec<Delivery>,
    /// Present when there may be more deliveries.
    pub next_cursor: Option<String>,
}

/// A delivery with its ended attempts.
#[derive(Debug)]
pub struct DeliveryWithAttempts {
    pub delivery: Delivery,
    pub attempts: Vec<DeliveryAttempt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// The number of the attempt; the first is 1.
    pub attempt: i64,
    pub at: Timestamp,
    pub status: Option<i64>,
    /// In microseconds.
    pub latency: Option<i64>,
    /// None for the attempt that succeeded.
    pub error: Option<String>,
    /// None for an attempt that succeeded, and for one of an earlier version.
    pub error_code: Option<AttemptErrorCode>,
    pub excerpt: Option<String>,
    /// None for an attempt of an earlier version that stored no headers.
    pub trace: Option<AttemptTrace>,
}

#[boxed::futures]
impl Webhooks<'_> {
    pub async fn deliveries(
        &self,
        caller: &dyn ActsFor,
        webhook: WebhookId,
        state: Option<DeliveryState>,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<DeliveryPage> {
        let tenant = caller.tenant();
        store::delivery::webhooks::by_id(self.0.db(), tenant, webhook).await?.ok_or(NO_WEBHOOK)?;
        let mut before = match cursor {
            Some(text) => self.parse_cursor(caller, webhook, text)?,
            None => Id::from_bytes(LAST),
        };
        let (mut found, mut looked_at, mut is_end) = (Vec::new(), 0, false);
        while found.len() < limit && looked_at < MOST_LOOKED_AT && !is_end {
            let batch = if state.is_some() { BATCH } else { i64::try_from(limit).unwrap_or(BATCH) };
            let read = deliveries::list(self.0.db(), tenant, webhook, before, batch).await?;
            is_end = i64::try_from(read.len()).unwrap_or(0) < batch;
            looked_at += read.len();
            for one in read {
                if found.len() == limit {
                    is_end = false;
                    break;
                }
                before = one.id;
                if state.is_none_or(|state| one.state == state) {
                    found.push(one);
                }
            }
        }
        let next_cursor = (!is_end).then(|| self.cursor(caller, webhook, before));
        Ok(DeliveryPage { deliveries: found, next_cursor })
    }

    pub async fn delivery(
        &self,
        caller: &dyn ActsFor,
        webhook: WebhookId,
        id: DeliveryId,
    ) -> Result<DeliveryWithAttempts> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        store::delivery::webhooks::by_id(db, tenant, webhook).await?.ok_or(NO_WEBHOOK)?;
        let delivery = deliveries::find(db, tenant, webhook, id).await?.ok_or(NO_DELIVERY)?;
        let failed = deliveries::attempts(db, tenant, webhook, id).await?;
        let mut attempts: Vec<DeliveryAttempt> = failed.into_iter().map(DeliveryAttempt::from).collect();
        if delivery.state == DeliveryState::Delivered {
            attempts.push(DeliveryAttempt::succeeded(&delivery));
        }
        Ok(DeliveryWithAttempts { delivery, attempts })
    }

    /// Makes a delivery of any state, even a delivered one, due now: its event is posted again with the same id, and
    /// attempts are made for another day. Refused for a test, for a delivery whose endpoint is not enabled, and for one
    /// whose event was deleted.
    pub async fn retry(&self, caller: &dyn ActsFor, webhook: WebhookId, id: DeliveryId) -> Result<Delivery> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let found = store::delivery::webhooks::by_id(db, tenant, webhook).await?.ok_or(NO_WEBHOOK)?;
        let delivery = deliveries::find(db, tenant, webhook, id).await?.ok_or(NO_DELIVERY)?;
        if delivery.number == 0 {
            return Err(Error::conflict(
                Field::DeliveryId,
                "a test cannot be retried, because it is not in the event log; send another one",
            ));
        }
        if found.status != WebhookStatus::Enabled {
            return Err(Error::conflict(
                Field::Status,
                format!("the webhook is {}; nothing is delivered to it", found.status),
            ));
        }
        if self.0.events().find(tenant, delivery.number).await?.is_none() {
            return Err(Error::conflict(Field::DeliveryId, "its event is no longer stored"));
        }
        let input = (caller.audit_actor(), tenant, webhook, id, self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, webhook, id, now)| {
            Box::pin(async move {
                if !deliveries::retry(tx, *tenant, *webhook, *id, *now).await? {
                    return Err(NO_DELIVERY);
                }
                let details = json!({"delivery": id});
                actor.record(tx, *tenant, *now, "webhook.retry", &webhook.to_string(), details).await?;
                Ok(())
            })
        });
        write.await?;
        self.0.endpoint_directory().changed();
        deliveries::find(db, tenant, webhook, id).await?.ok_or(NO_DELIVERY)
    }

    fn cursor(&self, caller: &dyn ActsFor, webhook: WebhookId, before: DeliveryId) -> String {
        let position = [webhook.bytes().as_slice(), before.bytes()].concat();
        cursor::write(self.0, caller.tenant(), AREA, &position)
    }

    fn parse_cursor(&self, caller: &dyn ActsFor, webhook: WebhookId, text: &str) -> Result<DeliveryId> {
        let position = cursor::read::<24>(self.0, caller.tenant(), AREA, text);
        let position = position.filter(|position| position.starts_with(webhook.bytes()));
        let before = position.and_then(|position| position.last_chunk().copied()).map(Id::from_bytes);
        before.ok_or_else(|| Error::invalid(Field::Cursor, "expected a next_cursor from this list"))
    }
}

impl From<deliveries::FailedAttempt> for DeliveryAttempt {
    fn from(one: deliveries::FailedAttempt) -> Self {
        Self {
            attempt: one.attempt,
            at: one.at,
            status: one.status,
            latency: Some(one.latency),
            error: Some(one.error).filter(|error| !error.is_empty()),
            error_code: one.trace.as_ref().and_then(|trace| trace.error_code),
            excerpt: one.excerpt,
            trace: one.trace,
        }
    }
}

impl DeliveryAttempt {
    fn succeeded(delivery: &Delivery) -> Self {
        Self {
            attempt: delivery.attempts,
            at: delivery.last_at,
            status: delivery.status,
            latency: delivery.latency,
            error: None,
            error_code: None,
            excerpt: delivery.excerpt.clone(),
            trace: delivery.trace.clone(),
        }
    }
}
