//! The protocol between dispatchers and the recorder of a node.
//!
//! A dispatcher sends one `DispatchReport` for each change that must be stored. The recorder stores many reports in one
//! transaction and then answers each through the `SharedProgress` of its dispatcher: it lowers the count of unstored
//! reports and adds `RecorderEvent`s that say what follows. The dispatcher and the recorder depend on these messages
//! and not on each other.
//!
//! The channel is bounded: when the database is slow, dispatchers wait in `send`. While the database fails, the
//! recorder repeats the transaction. A report that is not stored when the process dies is lost, and the next holder of
//! the endpoint repeats the attempt.

use std::sync::Arc;

use domain::ConversationId;

use super::Endpoint;
use super::attempt::{DeliveryRef, EndedAttempt};
use super::progress::SharedProgress;

/// Lease duration: another node may dispatch to the endpoint this long after the holder's last renewal.
pub(super) const LEASE_SECONDS: i64 = 4;

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
    /// The delivery of a new event waits for an earlier one of its conversation: store it as `held`.
    Hold(DeliveryRef),
    /// The oldest open delivery of the conversation may be attempted now, if it is held.
    Release(ConversationId),
    /// The event of a retry is no longer in the log: the delivery is stored as `failed`.
    Lost(DeliveryRef),
}

impl DispatcherEvent {
    /// The conversation whose oldest held delivery the recorder must release in the database: that of a retry that was
    /// delivered or given up, of a lost event, or of a `Release`. The first attempt of a new event releases nothing
    /// here, since later events of its conversation wait in the dispatcher's memory.
    pub fn releases(&self) -> Option<ConversationId> {
        match self {
            Self::Release(conversation) => Some(*conversation),
            Self::Lost(delivery) => delivery.conversation_id,
            Self::Attempted(attempt) if !attempt.delivery.is_new() && attempt.is_over() => {
                attempt.delivery.conversation_id
            }
            Self::Attempted(_) | Self::Hold(_) => None,
        }
    }
}
