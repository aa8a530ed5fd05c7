//! One event at one endpoint.

use super::{AttemptTrace, DeliveryState};
use crate::base::named::named;
use crate::delivery::events::EventType;
use crate::{ConversationId, DeliveryId, Timestamp, WebhookId};

named! {
    /// Why the next attempt does not follow from the retry schedule. `retry`: a client asked for this delivery;
    /// `recovery`: a recovery brought a waiting delivery forward; `reopened`: a recovery took up a delivery that was
    /// over, or an event that had none.
    RedeliveryCause { Retry => "retry", Recovery => "recovery", Reopened => "reopened" }
}

/// The delivery of one event to one endpoint, with its last attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub webhook: WebhookId,
    /// The id of the event.
    pub id: DeliveryId,
    /// The number of the event; 0 for a test, which is in no log.
    pub number: i64,
    pub kind: EventType,
    pub conversation_id: Option<ConversationId>,
    pub state: DeliveryState,
    pub attempts: i64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    pub due_at: Option<Timestamp>,
    /// HTTP status of the last answer.
    pub status: Option<i64>,
    /// Duration of the last attempt in microseconds.
    pub latency: Option<i64>,
    /// The beginning of the last answer.
    pub excerpt: Option<String>,
    /// Headers of the last attempt.
    pub trace: Option<AttemptTrace>,
    /// The start of the last recovery that the delivery belongs to.
    pub recovery: Option<Timestamp>,
    /// Set until the attempt that was asked for has been made.
    pub asked: Option<RedeliveryCause>,
}
