//! Contacts in V1.

pub(in crate::v1) mod add;
pub(in crate::v1) mod list;
pub(in crate::v1) mod list_items;
pub(in crate::v1) mod shape;
pub(in crate::v1) mod update;
pub(in crate::v1) mod update_many;
