//! The event log, event types and payloads, and the webhooks that deliver them.

pub mod consumers;
pub mod events;
pub mod webhooks;
