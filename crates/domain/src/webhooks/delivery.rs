//! One event at one endpoint.

use super::DeliveryState;
use crate::events::EventType;
use crate::{ConversationId, DeliveryId, Timestamp, WebhookId};

/// One event at one endpoint, with the last attempt.
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
    /// Microseconds of the last attempt.
    pub latency: Option<i64>,
    /// The beginning of the last answer.
    pub excerpt: Option<String>,
}
