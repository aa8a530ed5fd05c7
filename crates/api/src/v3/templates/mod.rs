//! Templates.

pub(super) mod check;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod history;
pub(super) mod list;
mod parts;
pub(super) mod sample;
pub(super) mod schedule;
pub(super) mod send;
mod shape;
pub(super) mod show;
