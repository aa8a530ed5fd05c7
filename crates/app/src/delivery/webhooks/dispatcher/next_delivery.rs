//! What the dispatcher attempts next: new events of the log, and retries that are due.

use std::collections::HashSet;

use domain::delivery::events::Event;
use domain::{DeliveryId, Timestamp};

use super::EndpointDispatcher;
use crate::Result;
use crate::delivery::webhooks::attempt::{DeliveryRef, PendingAttempt};
use crate::delivery::webhooks::conversation_order::Turn;
use crate::delivery::webhooks::endpoint_key::EndpointKey;
use crate::delivery::webhooks::exchange::DispatcherEvent;

/// Most facts in one read of the log.
const MOST_READ: i64 = 256;
/// While the events in memory have more bytes than this, the dispatcher does not read the log.
const QUEUED_BYTES: usize = 128 << 10;

impl EndpointDispatcher {
    /// Returns a retry that is due, or else the next new event. While retries are half of the possible requests in
    /// flight, new events come first, so that old failures do not delay first attempts.
    pub(super) async fn next_attempt(&mut self, now: Timestamp) -> Result<Option<PendingAttempt>> {
        let retry_first = self.retrying.len() * 2 < self.max_in_flight();
        if retry_first && let Some(retry) = self.next_retry(now).await? {
            return Ok(Some(retry));
        }
        match self.next_event().await? {
            Some(event) => Ok(Some(PendingAttempt::first(DeliveryRef::new(&event, self.recovery), event))),
            None if retry_first => Ok(None),
            None => self.next_retry(now).await,
        }
    }

    async fn next_retry(&mut self, now: Timestamp) -> Result<Option<PendingAttempt>> {
        let is_due = self.next_due.is_some_and(|due| due <= now);
        if is_due && self.retries.is_empty() && self.retrying.is_empty() {
            self.load_retries(now).await?;
        }
        while let Some(delivery) = self.retries.pop_front() {
            let event = self.room.events().find(self.key.tenant, delivery.number).await?;
            self.retrying.insert(delivery.id);
            match event {
                Some(event) => return Ok(Some(PendingAttempt::retry(event, &delivery))),
                None => self.report(DispatcherEvent::Lost(DeliveryRef::from_delivery(&delivery))).await,
            }
        }
        Ok(None)
    }

    async fn load_retries(&mut self, now: Timestamp) -> Result<()> {
        let most = i64::try_from(self.max_in_flight()).unwrap_or(1);
        let EndpointKey { tenant, webhook } = self.key;
        let due = store::delivery::webhooks::deliveries::due(self.room.db(), tenant, webhook, now, most).await?;
        self.retries.extend(due);
        if self.retries.is_empty() {
            self.refresh_next_due().await?;
        }
        Ok(())
    }

    /// Reads the time of the next due delivery again, since a client of the API may have requested a retry. Does
    /// nothing while retries are queued or in flight.
    pub(super) async fn refresh_next_due(&mut self) -> Result<()> {
        if self.retries.is_empty() && self.retrying.is_empty() {
            let EndpointKey { tenant, webhook } = self.key;
            self.next_due = store::delivery::webhooks::deliveries::next_due(self.room.db(), tenant, webhook).await?;
        }
        Ok(())
    }

    async fn next_event(&mut self) -> Result<Option<Event>> {
        loop {
            let drops = self.room.recent_events().drops();
            if self.drops != drops {
                (self.drops, self.stale_to) = (drops, self.read_to);
            }
            if let Some(event) = self.ready.pop_front() {
                self.queued_bytes = self.queued_bytes.saturating_sub(event.bytes());
                if event.number > self.stale_to {
                    return Ok(Some(event));
                }
                let present = self.room.events().find(self.key.tenant, event.number).await?;
                return Ok(Some(present.unwrap_or(event)));
            }
            let has_room = self.order.has_room() && self.queued_bytes < QUEUED_BYTES;
            if self.read_to >= *self.log_end.borrow_and_update() || !has_room {
                return Ok(None);
            }
            if !self.read().await? {
                return Ok(None);
            }
            // A search through a long log for events that the endpoint wants must not hold the thread.
            tokio::task::yield_now().await;
        }
    }

    /// Reads the next part of the log. Events that the endpoint wants and that have no delivery become ready, wait in
    /// memory or are held. False when the log has no further events.
    async fn read(&mut self) -> Result<bool> {
        let mut read = self.room.events().read(self.key.tenant, self.read_to, self.batch).await?;
        self.fit(&mut read);
        let Some(last) = read.last().map(|event| event.number) else { return Ok(false) };
        let known = self.known_deliveries(&read).await?;
        let is_wanted = |event: &Event| {
            let is_behind = self.recovery.is_some_and(|recovery| recovery.passes_over(event.number, event.at()));
            self.endpoint.wants(event) && !is_behind && !known.contains(&event.id.delivery())
        };
        let wanted: Vec<Event> = read.into_iter().filter(is_wanted).collect();
        self.progress.read(wanted.iter().map(|event| event.number), last);
        self.read_to = last;
        for event in wanted {
            let bytes = event.bytes();
            let turn = if self.endpoint.ordered { self.order.turn(event) } else { Turn::Now(event) };
            match turn {
                Turn::Now(event) => {
                    self.queued_bytes += bytes;
                    self.ready.push_back(event);
                }
                Turn::Later => self.queued_bytes += bytes,
                Turn::Hold(event) => self.request_hold(&event).await,
            }
        }
        Ok(true)
    }

    /// Shortens what was read to about `QUEUED_BYTES`, but not below one event, and adapts the size of the next read.
    fn fit(&mut self, read: &mut Vec<Event>) {
        let mut bytes = 0;
        let fits = read.iter().take_while(|event| {
            let fits = bytes < QUEUED_BYTES;
            bytes += event.bytes();
            fits
        });
        let kept = fits.count();
        read.truncate(kept);
        let next = if bytes < QUEUED_BYTES / 2 { self.batch * 2 } else { self.batch / 2 };
        self.batch = next.clamp(1, MOST_READ);
    }

    /// Which of these events have a delivery already. After a crash or a recovery, some events between the position and
    /// `reached` have one; no event after `reached` has one, so the database is not read.
    async fn known_deliveries(&self, read: &[Event]) -> Result<HashSet<DeliveryId>> {
        let (Some(first), Some(last)) = (read.iter().map(|one| one.id).min(), read.iter().map(|one| one.id).max())
        else {
            return Ok(HashSet::new());
        };
        if self.read_to >= self.reached {
            return Ok(HashSet::new());
        }
        let EndpointKey { tenant, webhook } = self.key;
        let known = store::delivery::webhooks::deliveries::known(
            self.room.db(),
            tenant,
            webhook,
            first.delivery(),
            last.delivery(),
        )
        .await?;
        Ok(known.into_iter().collect())
    }
}
