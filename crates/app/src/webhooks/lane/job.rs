//! One thing to post, and what came of it.

use std::sync::Arc;

use channels::transport::Transport;
use domain::events::{Event, EventType};
use domain::{ConversationId, DeliveryId, Timestamp};
use store::webhooks::deliveries::Delivery;

use crate::webhooks::Endpoint;
use crate::webhooks::post::{Outcome, post};

/// Which delivery something is about.
#[derive(Debug, Clone, Copy)]
pub(in crate::webhooks) struct Item {
    pub id: DeliveryId,
    pub number: i64,
    pub kind: EventType,
    pub conversation_id: Option<ConversationId>,
    /// Attempts before this.
    pub attempts: i64,
    pub first_at: Option<Timestamp>,
}

impl Item {
    pub fn new(event: &Event) -> Self {
        Self {
            id: event.id.delivery(),
            number: event.number,
            kind: event.kind,
            conversation_id: event.conversation_id(),
            attempts: 0,
            first_at: None,
        }
    }

    pub fn of(delivery: &Delivery) -> Self {
        Self {
            id: delivery.id,
            number: delivery.number,
            kind: delivery.kind,
            conversation_id: delivery.conversation_id,
            attempts: delivery.attempts,
            first_at: Some(delivery.first_at),
        }
    }

    /// Is it read from the log for the first time?
    pub const fn is_new(&self) -> bool {
        self.first_at.is_none()
    }
}

#[derive(Debug)]
pub(super) struct Job {
    item: Item,
    event: Event,
}

#[derive(Debug)]
pub(in crate::webhooks) struct Tried {
    pub item: Item,
    pub outcome: Outcome,
}

impl Job {
    pub fn first(event: Event) -> Self {
        Self { item: Item::new(&event), event }
    }

    pub fn again(event: Event, delivery: &Delivery) -> Self {
        Self { item: Item::of(delivery), event }
    }

    pub async fn run(self, transport: Arc<dyn Transport>, endpoint: Arc<Endpoint>, now: Timestamp) -> Tried {
        let outcome = post(&*transport, &endpoint, (&self.event).into(), now).await;
        Tried { item: self.item, outcome }
    }
}
