//! The event log and webhooks.

pub mod events;
mod room;
pub mod webhooks;

pub use room::EventDelivery;
