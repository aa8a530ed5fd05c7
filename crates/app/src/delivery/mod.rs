//! The event log, event types and payloads, and the webhooks that deliver them.

pub mod consumers;
pub mod events;
mod room;
pub mod webhooks;

pub use room::EventDelivery;
