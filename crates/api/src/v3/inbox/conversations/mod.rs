//! Conversations and their messages.

pub(in crate::v3) mod counts;
pub(in crate::v3) mod history;
pub(in crate::v3) mod labels;
pub(in crate::v3) mod list;
pub(in crate::v3) mod note;
pub(in crate::v3) mod note_delete;
pub(in crate::v3) mod operator;
pub(in crate::v3) mod presence;
pub(in crate::v3) mod read;
pub(in crate::v3) mod read_all;
pub(in crate::v3) mod receipt;
pub(in crate::v3) mod search;
mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod snooze;
pub(in crate::v3) mod status;
