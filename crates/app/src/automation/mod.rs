//! Reactions to the event log, and what they depend on: opening hours, routing and the presence of operators.

pub mod opening_hours;
pub mod operators;
mod room;
pub mod routing;

pub use room::Automation;
