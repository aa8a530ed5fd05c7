//! Contacts in V1.

pub(super) mod add;
pub(super) mod create_segment;
pub(super) mod list;
pub(super) mod list_items;
pub(super) mod shape;
pub(super) mod update;
pub(super) mod update_many;
