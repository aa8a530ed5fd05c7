//! Broadcasts and their refused recipients as columns, and the range of a list.

use domain::messaging::broadcasts::Broadcast;
use domain::messaging::messages::TemplateParams;
use domain::{ChannelId, ContactId, Timestamp};

use crate::base::columns::record;

record! {
    Broadcast {
        id,
        channel_id,
        name,
        template_id,
        template_name,
        operator,
        source,
        refused,
        scheduled_at,
        stopped_at,
        created_at,
    }
}

/// Broadcasts that were created between two times, both included, of one channel or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BroadcastRange {
    pub from: Timestamp,
    pub to: Timestamp,
    pub channel: Option<ChannelId>,
}

/// A recipient of the request to whom no message is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecipient {
    /// Index among the recipients of the request.
    pub place: i64,
    pub target: String,
    pub contact_id: Option<ContactId>,
    pub local_id: Option<String>,
    pub code: i64,
    pub reason: String,
    pub params: Option<TemplateParams>,
}

record! { RefusedRecipient { place, target, contact_id, local_id, code, reason, params } }
