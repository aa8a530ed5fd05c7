//! What a dispatcher and the recorder say to each other. A dispatcher sends one `Report` for each thing that is to be
//! stored; the recorder stores many at once and answers through the dispatcher's `SharedProgress` with `RecorderEvent`s.
//! Neither knows the other: both know these messages.

use std::sync::Arc;

use domain::{ConversationId, TenantId, WebhookId};

use super::Endpoint;
use super::attempt::{Attempted, Item};
use super::progress::SharedProgress;

/// Lease duration: another node may dispatch to the endpoint this long after the holder's last renewal.
pub(super) const LEASE_SECONDS: i64 = 4;

/// Which endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneKey {
    pub tenant: TenantId,
    pub webhook: WebhookId,
}

/// Something about one endpoint that is to be stored.
#[derive(Debug)]
pub(crate) struct Report {
    pub(super) progress: Arc<SharedProgress>,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) event: DispatcherEvent,
}

#[derive(Debug)]
pub(super) enum DispatcherEvent {
    /// A delivery was attempted.
    Attempted(Box<Attempted>),
    /// It waits for an earlier delivery of its conversation.
    Held(Item),
    /// The next delivery of a conversation may be attempted.
    Release(ConversationId),
    /// Its event is not in the log any more.
    Lost(Item),
}

impl DispatcherEvent {
    /// The conversation whose next delivery is to be looked for in the database: that of a retry that is at its end. What
    /// waits in memory is the dispatcher's own.
    pub fn releases(&self) -> Option<ConversationId> {
        match self {
            Self::Release(conversation) => Some(*conversation),
            Self::Lost(item) => item.conversation_id,
            Self::Attempted(attempted) if !attempted.item.is_new() && attempted.is_over() => {
                attempted.item.conversation_id
            }
            Self::Attempted(_) | Self::Held(_) => None,
        }
    }
}
