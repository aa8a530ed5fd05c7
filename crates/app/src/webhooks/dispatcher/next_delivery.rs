//! What a lane posts next: what is new in the log, and what is to be tried again.

use std::collections::HashSet;

use domain::events::Event;
use domain::{DeliveryId, Timestamp};

use super::Lane;
use crate::Result;
use crate::webhooks::attempt::{Item, Job};
use crate::webhooks::exchange::{DispatcherEvent, LaneKey};
use crate::webhooks::order::Turn;

/// Events that are read at once.
const READ: i64 = 256;

impl Lane {
    /// Half of the places are for first attempts: what failed before holds up nothing new.
    pub(super) async fn next_job(&mut self, now: Timestamp) -> Result<Option<Job>> {
        let retry_first = self.retrying.len() * 2 < self.most();
        if retry_first && let Some(job) = self.next_retry(now).await? {
            return Ok(Some(job));
        }
        match self.next_event().await? {
            Some(event) => Ok(Some(Job::first(event))),
            None if retry_first => Ok(None),
            None => self.next_retry(now).await,
        }
    }

    async fn next_retry(&mut self, now: Timestamp) -> Result<Option<Job>> {
        let is_due = self.next_due.is_some_and(|due| due <= now);
        if is_due && self.retries.is_empty() && self.retrying.is_empty() {
            self.load_retries(now).await?;
        }
        while let Some(delivery) = self.retries.pop_front() {
            let event = self.app.events().one(self.key.tenant, delivery.number).await?;
            self.retrying.insert(delivery.id);
            match event {
                Some(event) => return Ok(Some(Job::again(event, &delivery))),
                None => self.tell(DispatcherEvent::Lost(Item::of(&delivery))).await,
            }
        }
        Ok(None)
    }

    async fn load_retries(&mut self, now: Timestamp) -> Result<()> {
        let most = i64::try_from(self.most()).unwrap_or(1);
        let LaneKey { tenant, webhook } = self.key;
        let due = store::webhooks::deliveries::due(self.app.db(), tenant, webhook, now, most).await?;
        self.retries.extend(due);
        if self.retries.is_empty() {
            self.look_for_retries().await?;
        }
        Ok(())
    }

    /// Somebody may have asked for a delivery to be tried again.
    pub(super) async fn look_for_retries(&mut self) -> Result<()> {
        if self.retries.is_empty() && self.retrying.is_empty() {
            let LaneKey { tenant, webhook } = self.key;
            self.next_due = store::webhooks::deliveries::next_due(self.app.db(), tenant, webhook).await?;
        }
        Ok(())
    }

    async fn next_event(&mut self) -> Result<Option<Event>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.read_to >= *self.head.borrow_and_update() || !self.order.has_room() {
                return Ok(None);
            }
            if !self.read().await? {
                return Ok(None);
            }
        }
    }

    /// The next part of the log. False when there is none.
    async fn read(&mut self) -> Result<bool> {
        let read = self.app.events().read(self.key.tenant, self.read_to, READ).await?;
        let Some(last) = read.last().map(|event| event.number) else { return Ok(false) };
        let told = self.told_before(&read).await?;
        let wanted =
            read.into_iter().filter(|event| self.endpoint.wants(event) && !told.contains(&event.id.delivery()));
        let wanted: Vec<Event> = wanted.collect();
        self.progress.took(wanted.iter().map(|event| event.number), last);
        self.read_to = last;
        for event in wanted {
            let turn = if self.endpoint.ordered { self.order.turn(event) } else { Turn::Now(event) };
            match turn {
                Turn::Now(event) => self.ready.push_back(event),
                Turn::Later => {}
                Turn::Hold(event) => self.hold(&event).await,
            }
        }
        Ok(true)
    }

    /// After a crash or a recovery, some of what lies ahead was told already.
    async fn told_before(&self, read: &[Event]) -> Result<HashSet<DeliveryId>> {
        let (Some(first), Some(last)) = (read.iter().map(|one| one.id).min(), read.iter().map(|one| one.id).max())
        else {
            return Ok(HashSet::new());
        };
        if self.read_to >= self.reached {
            return Ok(HashSet::new());
        }
        let LaneKey { tenant, webhook } = self.key;
        let known =
            store::webhooks::deliveries::known(self.app.db(), tenant, webhook, first.delivery(), last.delivery())
                .await?;
        Ok(known.into_iter().collect())
    }
}
