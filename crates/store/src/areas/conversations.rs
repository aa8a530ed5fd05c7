//! Conversations: one row for each contact and channel.

mod contact_changes;
pub(crate) mod inbox;
mod labels;
pub(crate) mod list;
mod reads;
mod rows;
pub(crate) mod snoozes;

pub use contact_changes::{erase, erase_unattached, join_into, reassign};
pub use inbox::{InboxOrder, InboxPosition, inbox, inbox_explain};
pub use list::list;
pub use reads::{seen_by, set_seen};
pub use rows::{
    by_id, contacts_of, file_names, for_update, insert_many, of_any, of_contact, of_contact_for_update, of_contact_in,
    of_contacts_for_update, remove, set_labels, touch, update, update_many, with_contact_for_update,
};
pub use snoozes::due_to_wake;

use crate::Statement;

/// Without the statements of the team's lists (`inbox`, `list`, `snoozes`), which have lists of their own.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [contact_changes::statements(), labels::statements(), reads::statements(), rows::statements()].concat()
}
