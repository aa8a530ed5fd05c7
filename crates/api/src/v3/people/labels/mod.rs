//! Labels of conversations and contacts.

pub(in crate::v3) mod create;
pub(in crate::v3) mod delete;
pub(in crate::v3) mod list;
pub(crate) mod shape;
pub(in crate::v3) mod update;
