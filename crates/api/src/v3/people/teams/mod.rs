//! Teams and their members.

pub(in crate::v3) mod create;
pub(in crate::v3) mod delete;
pub(in crate::v3) mod list;
pub(in crate::v3) mod members;
mod shape;
pub(in crate::v3) mod show;
pub(in crate::v3) mod update;
