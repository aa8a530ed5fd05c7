//! Conversations: at most one for each contact and channel.

mod assign;
mod contact_changes;
mod history;
mod join;
mod list;
mod record;
mod status;
mod target;

pub use assign::{AssignTo, Assignment};
pub(crate) use contact_changes::{erase_of_contacts, move_back, move_to_kept};
pub use history::{ConversationHistory, HistoryEntry};
pub use list::{ContactSummary, ConversationQuery, ConversationView, MAX_LIST_DEPTH, PageRequest};
pub(crate) use record::{ConversationKey, opened_note, opening_text, record_inbound, record_outbound};
pub use target::ConversationChoice;
pub use target::{ConversationTarget, SeveralOpen};
pub(crate) use target::{ResolvedTarget, resolve_target};

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
fn author(caller: &impl ActsFor) -> Option<MessageOperator> {
    caller.account().map(|_| caller.operator(caller.source(), false))
}
