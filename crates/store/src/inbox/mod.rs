//! The team's work on conversations: lists, search, assignment, status, snoozing, read marks, presence, notes and
//! canned replies.

pub mod canned_replies;
pub mod list;
pub mod pages;
pub mod presences;
pub mod snoozes;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        canned_replies::statements(),
        list::statements(),
        pages::statements(),
        presences::statements(),
        snoozes::statements(),
    ]
    .concat()
}
