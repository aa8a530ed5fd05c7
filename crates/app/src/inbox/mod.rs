//! The team's work on conversations: lists, search, assignment, status, snoozing, read marks, presence, notes and
//! canned replies.

pub mod canned_replies;
pub mod conversations;
mod room;

pub use room::Inbox;
