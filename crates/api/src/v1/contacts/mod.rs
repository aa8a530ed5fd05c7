//! Contacts in V1's shapes.

pub(super) mod add;
pub(super) mod list;
mod shape;
