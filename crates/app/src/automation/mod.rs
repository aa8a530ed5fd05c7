//! Reactions to the event log, and what they depend on: opening hours.

pub mod opening_hours;
mod room;

pub use room::Automation;
