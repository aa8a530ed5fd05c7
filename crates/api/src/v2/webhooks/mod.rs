//! Webhook endpoints in V2.

pub(super) mod create;
pub(super) mod list;
mod shape;
