//! Conversations: at most one for each contact and channel.

mod assign;
mod contact_changes;
mod history;
mod inbox;
mod join;
mod labels;
mod list;
pub(crate) mod news;
mod notes;
mod presence;
mod presence_board;
mod query;
mod reads;
mod receipt;
mod record;
mod search;
mod snooze;
mod status;
mod target;

pub use assign::{AssignTo, Assignment};
pub(crate) use contact_changes::FollowContacts;
pub use domain::messaging::conversations::ConversationChoice;
pub use history::{ConversationHistory, HistoryEntry};
pub use inbox::{InboxCounts, InboxPage, QueueCounts};
pub use list::{ContactSummary, ConversationDetails, ConversationView};
pub use notes::NewNote;
pub(crate) use presence_board::PresenceBoard;
pub use query::ConversationQuery;
pub use reads::{MarkedList, ReadMark};
pub(crate) use record::{ConversationKey, opened_note, opening_text, record_inbound, record_outbound};
pub use search::{FoundMessage, FoundMessages};
pub use target::{ConversationTarget, SeveralOpen};
pub(crate) use target::{NO_CONVERSATION, ResolvedTarget, find_conversation, resolve_target};

use domain::messaging::messages::MessageOperator;

pub use crate::page_request::{MAX_LIST_DEPTH, PageRequest};
use crate::{ActsFor, App};

#[derive(Debug)]
pub struct Conversations<'a>(&'a App);

impl App {
    pub fn conversations(&self) -> Conversations<'_> {
        Conversations(self)
    }
}

/// The author of a change of a ticket, for its row in the history; None for a caller without an account, such as a
/// command or an OIDC token.
fn author(caller: &dyn ActsFor) -> Option<MessageOperator> {
    caller.account().map(|_| caller.operator(caller.source()))
}
