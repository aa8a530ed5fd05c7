//! Endpoints that are told of events, as the hosted platforms' V2 has them.

pub(super) mod create;
pub(super) mod list;
mod shape;
