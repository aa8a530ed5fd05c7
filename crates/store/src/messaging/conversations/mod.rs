//! Conversations: one row for each contact and channel.

mod contact_changes;
mod labels;
mod reads;
mod rows;

pub use contact_changes::{erase, erase_unattached, files, join_into, reassign, unattached_files};
pub use reads::{seen_by, set_seen};
pub use rows::{
    by_id, contacts_of, file_names, for_update, insert_many, of_any, of_contact, of_contact_for_update, of_contact_in,
    of_contacts_for_update, remove, set_labels, touch, update, update_many, with_contact_for_update,
};

use crate::Statement;

/// Without the statements of the team's lists (`inbox`, `list`, `snoozes`), which have lists of their own.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [contact_changes::statements(), labels::statements(), reads::statements(), rows::statements()].concat()
}
