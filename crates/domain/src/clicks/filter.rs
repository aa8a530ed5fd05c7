//! Which hits a list reads.

use crate::{ClickId, MessageId, TemplateId, Timestamp};

/// Every member that is given must hold. Newest first.
#[derive(Debug, Clone, Copy)]
pub struct ClickFilter {
    pub from: Timestamp,
    /// Only hits behind this position of the list.
    pub before: (Timestamp, ClickId),
    pub template: Option<TemplateId>,
    pub message: Option<MessageId>,
}
