//! Templates.

pub(super) mod create;
pub(super) mod delete;
mod failure;
pub(crate) mod list;
mod parts;
mod shape;
