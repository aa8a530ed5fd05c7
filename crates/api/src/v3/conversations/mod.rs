//! Conversations and their messages.

pub(super) mod file;
pub(super) mod file_fetch;
pub(super) mod file_send;
pub(super) mod file_via_url;
pub(super) mod history;
pub(super) mod interactive;
pub(super) mod list;
pub(super) mod operator;
mod sent;
pub(crate) mod shape;
pub(super) mod status;
pub(super) mod text;
