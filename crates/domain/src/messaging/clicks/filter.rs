//! Which hits a list reads.

use crate::{ClickId, MessageId, TemplateId, Timestamp};

/// Which hits a list shows: every member that is given must hold.
#[derive(Debug, Clone, Copy)]
pub struct ClickFilter {
    pub from: Timestamp,
    /// Only hits after this position of the list, which are older.
    pub before: (Timestamp, ClickId),
    pub template: Option<TemplateId>,
    pub message: Option<MessageId>,
}
