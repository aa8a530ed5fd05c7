//! Segments of contacts.

pub(super) mod delete;
pub(super) mod list;
