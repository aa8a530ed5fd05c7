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
mod reads;
mod receipt;
mod record;
mod search;
mod snooze;
mod status;
mod target;

pub use assign::{AssignTo, Assignment};
pub(crate) use contact_changes::{erase_of_contacts, move_back, move_to_kept};
pub use history::{ConversationHistory, HistoryEntry};
pub use inbox::{InboxCounts, InboxPage, QueueCounts};
pub use list::{ContactSummary, ConversationDetails, ConversationQuery, ConversationView, MAX_LIST_DEPTH, PageRequest};
pub use notes::NewNote;
pub(crate) use presence::PresenceBoard;
pub use reads::{MarkedList, ReadMark};
pub(crate) use record::{ConversationKey, opened_note, opening_text, record_inbound, record_outbound};
pub(crate) use search::MAX_SEARCHES;
pub use search::{FoundMessage, FoundMessages};
pub use target::ConversationChoice;
pub use target::{ConversationTarget, SeveralOpen};
pub(crate) use target::{ResolvedTarget, find_conversation, resolve_target};

use domain::messages::MessageOperator;

use crate::{ActsFor, App, Error, Thing};

#[derive(Debug)]
pub struct Conversations<'a>(&'a App);

impl App {
    pub fn conversations(&self) -> Conversations<'_> {
        Conversations(self)
    }
}

pub(crate) const NO_CONVERSATION: Error = Error::NotFound(Thing::Conversation);

/// The author of a change of a ticket, for its row in the history; None for a caller without an account, such as a
/// command or an OIDC token.
fn author(caller: &dyn ActsFor) -> Option<MessageOperator> {
    caller.account().map(|_| caller.operator(caller.source()))
}
