//! Orders in V3.

pub(in crate::v3) mod create;
pub(in crate::v3) mod export;
mod filter;
pub(in crate::v3) mod history;
pub(in crate::v3) mod list;
mod sent;
pub(in crate::v3) mod show;
pub(in crate::v3) mod status;
