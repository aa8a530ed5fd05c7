//! Templates.

pub(in crate::v1) mod create;
pub(in crate::v1) mod delete;
mod failure;
pub(crate) mod list;
mod parts;
mod shape;
