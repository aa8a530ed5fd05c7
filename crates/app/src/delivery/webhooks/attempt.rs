//! One attempt to deliver an event: `PendingAttempt` before it, `EndedAttempt` with its outcome and what follows for
//! the delivery (delivered, retried at a time, failed for good, or parked because the endpoint answered 410).

use std::sync::Arc;

use channels::transport::Transport;
use domain::delivery::events::{Event, EventType};
use domain::delivery::webhooks::{Delivery, DeliveryState, RedeliveryCause, RunningRecovery, next_attempt_at};
use domain::{Clock, ConversationId, DeliveryId, Timestamp};

use crate::delivery::webhooks::Endpoint;
use crate::delivery::webhooks::post::{AttemptOutcome, DeliveryBody, Verdict, post};

/// What an attempt needs of a delivery.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeliveryRef {
    pub id: DeliveryId,
    pub number: i64,
    pub kind: EventType,
    pub conversation_id: Option<ConversationId>,
    /// Number of attempts so far.
    pub attempts: i64,
    /// Start of the 24 hours in which attempts are made: the first attempt, or when the delivery was held, recovered or
    /// retried by a client. None when nothing about the delivery is stored.
    pub first_at: Option<Timestamp>,
    /// The start of the recovery that the delivery belongs to.
    pub recovery: Option<Timestamp>,
    /// Why the attempt was requested, if it does not follow from the retry schedule.
    pub asked: Option<RedeliveryCause>,
}

impl DeliveryRef {
    /// The delivery of an event that has none yet: a new event, or one that a recovery reads again.
    pub fn new(event: &Event, recovery: Option<RunningRecovery>) -> Self {
        let recovery = recovery.filter(|recovery| recovery.covers(event.number));
        Self {
            recovery: recovery.map(|recovery| recovery.started_at),
            asked: recovery.map(|_| RedeliveryCause::Reopened),
            id: event.id.delivery(),
            number: event.number,
            kind: event.kind,
            conversation_id: event.conversation_id(),
            attempts: 0,
            first_at: None,
        }
    }

    pub fn from_delivery(delivery: &Delivery) -> Self {
        Self {
            id: delivery.id,
            number: delivery.number,
            kind: delivery.kind,
            conversation_id: delivery.conversation_id,
            attempts: delivery.attempts,
            first_at: Some(delivery.first_at),
            recovery: delivery.recovery,
            asked: delivery.asked,
        }
    }

    /// Whether nothing about the delivery is stored yet, because its event was just read from the log.
    pub const fn is_new(&self) -> bool {
        self.first_at.is_none()
    }
}

#[derive(Debug)]
pub(super) struct PendingAttempt {
    delivery: DeliveryRef,
    event: Event,
}

#[derive(Debug)]
pub(super) struct EndedAttempt {
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

    /// Whether the delivery was delivered or failed for good, so that the next event of the conversation may be
    /// attempted. False for a parked delivery too, since its endpoint is taken out of service.
    pub const fn is_over(&self) -> bool {
        matches!(self.state, DeliveryState::Delivered | DeliveryState::Failed)
    }
}

impl PendingAttempt {
    pub fn first(delivery: DeliveryRef, event: Event) -> Self {
        Self { delivery, event }
    }

    pub fn retry(event: Event, delivery: &Delivery) -> Self {
        Self { delivery: DeliveryRef::from_delivery(delivery), event }
    }

    /// About as many bytes as the request's body has.
    pub fn bytes(&self) -> usize {
        self.event.bytes()
    }

    /// Posts the event. `file_address` is the beginning of the addresses of the tenant's files.
    pub async fn run(
        self,
        transport: Arc<dyn Transport>,
        endpoint: Arc<Endpoint>,
        clock: Clock,
        file_address: String,
    ) -> EndedAttempt {
        let body = DeliveryBody::new(&self.event, &file_address);
        let mut outcome = post(&*transport, &endpoint.target(clock.now()), body, &clock).await;
        outcome.trace.redelivery = self.delivery.asked.is_some();
        EndedAttempt::new(self.delivery, outcome)
    }
}
