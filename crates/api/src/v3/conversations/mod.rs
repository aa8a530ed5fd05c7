//! Conversations and their messages.

pub(super) mod canned_file;
pub(super) mod counts;
pub(super) mod file;
pub(super) mod file_fetch;
pub(super) mod file_send;
pub(super) mod file_via_url;
pub(super) mod history;
pub(super) mod interactive;
pub(super) mod labels;
pub(super) mod list;
pub(crate) mod message_shape;
pub(super) mod note;
pub(super) mod note_delete;
pub(super) mod operator;
pub(super) mod presence;
pub(super) mod read;
pub(super) mod read_all;
pub(super) mod receipt;
pub(super) mod search;
mod sent;
mod shape;
pub(super) mod show;
pub(super) mod snooze;
pub(super) mod status;
pub(super) mod text;
