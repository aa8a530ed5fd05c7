//! Segments of contacts.

pub(super) mod count;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod list;
mod shape;
pub(super) mod show;
pub(super) mod update;
