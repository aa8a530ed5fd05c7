//! Conversations as messages need them: finding, opening and recording them.

pub(crate) mod contact_changes;
pub(crate) mod emit;
pub(crate) mod join;
pub(crate) mod record;
pub(crate) mod target;

pub(crate) use contact_changes::FollowContacts;
pub(crate) use record::{ConversationKey, opening_row, record_inbound, record_outbound};
pub use target::{ConversationTarget, SeveralOpen};
pub(crate) use target::{NO_CONVERSATION, ResolvedTarget, find_conversation, resolve_target};
