//! One thing to post, and what came of it.

use std::sync::Arc;

use channels::transport::Transport;
use domain::events::{Event, EventType};
use domain::webhooks::{Delivery, DeliveryState, again_at};
use domain::{ConversationId, DeliveryId, Timestamp};

use crate::webhooks::Endpoint;
use crate::webhooks::post::{Outcome, Verdict, post};

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
pub(in crate::webhooks) struct Job {
    item: Item,
    event: Event,
}

#[derive(Debug)]
pub(in crate::webhooks) struct Attempted {
    pub item: Item,
    pub outcome: Outcome,
    /// Where the delivery stands after it.
    pub state: DeliveryState,
    /// When it is attempted again, if it is.
    pub due_at: Option<Timestamp>,
}

impl Attempted {
    pub fn new(item: Item, outcome: Outcome) -> Self {
        let (state, due_at) = match outcome.verdict {
            Verdict::Delivered => (DeliveryState::Delivered, None),
            Verdict::Gone => (DeliveryState::Parked, None),
            Verdict::Failed { rest, .. } => {
                let first = item.first_at.unwrap_or(outcome.at);
                let again = again_at(first, outcome.at, item.attempts + 1, item.id, rest);
                (if again.is_some() { DeliveryState::Retrying } else { DeliveryState::Failed }, again)
            }
        };
        Self { item, outcome, state, due_at }
    }

    /// Is nothing more to be attempted?
    pub const fn is_over(&self) -> bool {
        matches!(self.state, DeliveryState::Delivered | DeliveryState::Failed)
    }
}

impl Job {
    pub fn first(event: Event) -> Self {
        Self { item: Item::new(&event), event }
    }

    pub fn again(event: Event, delivery: &Delivery) -> Self {
        Self { item: Item::of(delivery), event }
    }

    pub async fn run(self, transport: Arc<dyn Transport>, endpoint: Arc<Endpoint>, now: Timestamp) -> Attempted {
        let outcome = post(&*transport, &endpoint, (&self.event).into(), now).await;
        Attempted::new(self.item, outcome)
    }
}
