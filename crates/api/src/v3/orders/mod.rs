//! Orders: asked for in a message, read, moved on, exported.

pub(super) mod create;
pub(super) mod export;
mod filter;
pub(super) mod list;
mod sent;
pub(super) mod show;
pub(super) mod status;
