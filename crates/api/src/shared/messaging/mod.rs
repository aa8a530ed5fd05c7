//! Messages, templates, conversations and files, as several versions spell them.

pub(crate) mod conversations;
pub(crate) mod file_bytes;
pub(crate) mod messages;
pub(crate) mod templates;
