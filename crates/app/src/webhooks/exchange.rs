//! The protocol between dispatchers and the recorder of a node.
//!
//! A dispatcher sends one `DispatchReport` for each change that must be stored. The recorder stores many reports in one
//! transaction and then answers each through the `SharedProgress` of its dispatcher: the count of unstored reports goes
//! down, and `RecorderEvent`s say what follows. The dispatcher and the recorder depend on these messages and not on
//! each other.
//!
//! The channel is bounded: when the database is slow, dispatchers wait in `send`. A report that is not stored when the
//! process dies is lost, and the next holder of the endpoint repeats the attempt.

use std::sync::Arc;

use domain::{ConversationId, TenantId, WebhookId};

use super::Endpoint;
use super::attempt::{DeliveryRef, EndedAttempt};
use super::progress::SharedProgress;

/// Lease duration: another node may dispatch to the endpoint this long after the holder's last renewal.
pub(super) const LEASE_SECONDS: i64 = 4;

/// The endpoint that a dispatcher serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointKey {
    pub tenant: TenantId,
    pub webhook: WebhookId,
}

/// A change of one endpoint that must be stored.
#[derive(Debug)]
pub(crate) struct DispatchReport {
    pub(super) progress: Arc<SharedProgress>,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) event: DispatcherEvent,
}

#[derive(Debug)]
pub(super) enum DispatcherEvent {
    /// An attempt ended.
    Attempted(Box<EndedAttempt>),
    /// The delivery waits for an earlier one of its conversation.
    Held(DeliveryRef),
    /// The oldest held delivery of the conversation may be attempted.
    Release(ConversationId),
    /// The event of a retry is not in the log any more.
    Lost(DeliveryRef),
}

impl DispatcherEvent {
    /// The conversation whose oldest held delivery the recorder releases in the database: that of a retry that ended.
    /// Events that wait in memory are released by the dispatcher.
    pub fn releases(&self) -> Option<ConversationId> {
        match self {
            Self::Release(conversation) => Some(*conversation),
            Self::Lost(delivery) => delivery.conversation_id,
            Self::Attempted(attempt) if !attempt.delivery.is_new() && attempt.is_over() => {
                attempt.delivery.conversation_id
            }
            Self::Attempted(_) | Self::Held(_) => None,
        }
    }
}
