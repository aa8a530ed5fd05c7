//! Labels of conversations and contacts.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod list;
pub(crate) mod shape;
pub(super) mod update;
