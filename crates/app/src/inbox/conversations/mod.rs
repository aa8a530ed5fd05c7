//! Conversations: at most one for each contact and channel.

mod assign;
mod history;
mod labels;
mod list;
mod notes;
mod page;
mod presence;
mod presence_board;
mod query;
mod reads;
mod receipt;
mod search;
mod snooze;
mod status;

pub use assign::{AssignTo, Assignment};
pub(crate) use assign::{RuledAssignment, assign_by_rule};
pub use domain::messaging::conversations::ConversationChoice;
pub use history::{ConversationHistory, HistoryEntry};
pub use list::{ContactSummary, ConversationDetails, ConversationView};
pub use notes::NewNote;
pub use page::{InboxCounts, InboxPage, QueueCounts};
pub(crate) use presence_board::{PresenceBoard, SignalledChanges};
pub use query::ConversationQuery;
pub use reads::{MarkedList, ReadMark};
pub use search::{FoundMessage, FoundMessages};

use domain::messaging::messages::MessageOperator;

use crate::ActsFor;
pub use crate::base::page_request::{MAX_LIST_DEPTH, PageRequest};
use crate::inbox::Inbox;

#[derive(Debug)]
pub struct Conversations<'a>(&'a Inbox);

impl Inbox {
    pub fn conversations(&self) -> Conversations<'_> {
        Conversations(self)
    }
}

/// The author of a change of a ticket, for its row in the history; None for a caller without an account, such as a
/// command or an OIDC token.
fn author(caller: &dyn ActsFor) -> Option<MessageOperator> {
    caller.account().map(|_| caller.operator(caller.source()))
}
