//! One attempt to deliver an event: `PendingAttempt` before it, `EndedAttempt` with its outcome and what follows for
//! the delivery (delivered, retried at a time, given up, or parked because the endpoint answered 410).

use std::sync::Arc;

use channels::transport::Transport;
use domain::events::{Event, EventType};
use domain::webhooks::{Delivery, DeliveryState, next_attempt_at};
use domain::{Clock, ConversationId, DeliveryId, Timestamp};

use crate::webhooks::Endpoint;
use crate::webhooks::post::{AttemptOutcome, DeliveryBody, Verdict, post};

/// A delivery, as far as an attempt needs to know it.
#[derive(Debug, Clone, Copy)]
pub(in crate::webhooks) struct DeliveryRef {
    pub id: DeliveryId,
    pub number: i64,
    pub kind: EventType,
    pub conversation_id: Option<ConversationId>,
    /// Attempts so far.
    pub attempts: i64,
    /// From when the day of attempts counts: the first attempt, or when the delivery was held, recovered or retried by
    /// a client. None when nothing about the delivery is stored.
    pub first_at: Option<Timestamp>,
}

impl DeliveryRef {
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

    /// Whether the event was just read from the log, so that nothing about it is stored yet.
    pub const fn is_new(&self) -> bool {
        self.first_at.is_none()
    }
}

#[derive(Debug)]
pub(in crate::webhooks) struct PendingAttempt {
    delivery: DeliveryRef,
    event: Event,
}

#[derive(Debug)]
pub(in crate::webhooks) struct EndedAttempt {
    pub delivery: DeliveryRef,
    pub outcome: AttemptOutcome,
    /// The state of the delivery after the attempt.
    pub state: DeliveryState,
    /// The time of the next attempt, if there is one.
    pub due_at: Option<Timestamp>,
}

impl EndedAttempt {
    pub fn new(delivery: DeliveryRef, outcome: AttemptOutcome) -> Self {
        let (state, due_at) = match outcome.verdict {
            Verdict::Delivered => (DeliveryState::Delivered, None),
            Verdict::Gone => (DeliveryState::Parked, None),
            Verdict::Failed { retry_after, .. } => {
                let first = delivery.first_at.unwrap_or(outcome.at);
                let next = next_attempt_at(first, outcome.ended_at, delivery.attempts + 1, delivery.id, retry_after);
                (if next.is_some() { DeliveryState::Retrying } else { DeliveryState::Failed }, next)
            }
        };
        Self { delivery, outcome, state, due_at }
    }

    /// Whether the delivery was delivered or given up, so that the next event of the conversation may go. False also
    /// for a parked one: its endpoint is taken out of service.
    pub const fn is_over(&self) -> bool {
        matches!(self.state, DeliveryState::Delivered | DeliveryState::Failed)
    }
}

impl PendingAttempt {
    pub fn first(event: Event) -> Self {
        Self { delivery: DeliveryRef::new(&event), event }
    }

    pub fn retry(event: Event, delivery: &Delivery) -> Self {
        Self { delivery: DeliveryRef::of(delivery), event }
    }

    /// `file_address` is what addresses of the tenant's files begin with.
    pub async fn run(
        self,
        transport: Arc<dyn Transport>,
        endpoint: Arc<Endpoint>,
        clock: Clock,
        file_address: String,
    ) -> EndedAttempt {
        let outcome = post(&*transport, &endpoint, DeliveryBody::of(&self.event, &file_address), &clock).await;
        EndedAttempt::new(self.delivery, outcome)
    }
}
