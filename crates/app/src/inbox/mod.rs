//! The team's work on conversations: lists, notes, presence and canned replies.

pub mod canned_replies;
pub mod conversations;
mod room;

pub use room::Inbox;
