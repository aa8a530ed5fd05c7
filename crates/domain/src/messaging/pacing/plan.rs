//! The candidates of a plan, and what the plan says about them.

use super::people::SlotCursors;
use crate::messaging::messages::Urgency;
use crate::{ChannelId, ContactId, MessageId, TemplateId, Timestamp};

/// A message that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub id: MessageId,
    pub channel: ChannelId,
    pub contact: ContactId,
    pub urgency: Urgency,
    pub template: Option<TemplateId>,
    /// The message is sent outside of the window, so it would open a conversation.
    pub opens: bool,
}

/// What becomes of the candidates, by their index in the list. A candidate that is neither in `go` nor in `later` waits
/// for its number and stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub go: Vec<usize>,
    /// Held back by the limit of the pair, the portfolio or the template, and when to try again. The number has room
    /// for others meanwhile.
    pub later: Vec<(usize, Timestamp)>,
    /// When the first of the numbers that are paused or at their limit has room again. `None`: all have room left.
    pub next: Option<Timestamp>,
    /// The people whom the portfolio counts because of `go`, and until when. The caller stores them for the node that
    /// takes over.
    pub people: Vec<(ContactId, Timestamp)>,
    /// Kept by the pacer when the plan is committed.
    pub(super) cursors: SlotCursors,
}
