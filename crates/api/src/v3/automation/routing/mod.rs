//! Rules of routing.

pub(in crate::v3) mod create;
pub(in crate::v3) mod delete;
pub(in crate::v3) mod list;
mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod update;
