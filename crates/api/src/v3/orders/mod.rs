//! Orders in V3.

pub(super) mod create;
pub(super) mod export;
mod filter;
pub(super) mod history;
pub(super) mod list;
mod sent;
pub(super) mod show;
pub(super) mod status;
