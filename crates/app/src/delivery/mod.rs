//! The event log and webhooks.

pub mod events;
pub mod webhooks;
