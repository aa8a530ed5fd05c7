//! Webhook endpoints in V2.

pub(in crate::v2) mod create;
pub(in crate::v2) mod list;
mod shape;
