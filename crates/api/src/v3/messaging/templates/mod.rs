//! Templates.

pub(in crate::v3) mod check;
pub(in crate::v3) mod create;
pub(in crate::v3) mod delete;
pub(in crate::v3) mod history;
pub(in crate::v3) mod list;
pub(in crate::v3) mod parts;
pub(in crate::v3) mod sample;
pub(in crate::v3) mod schedule;
pub(in crate::v3) mod send;
mod shape;
pub(in crate::v3) mod show;
