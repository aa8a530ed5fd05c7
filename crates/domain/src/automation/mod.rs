//! Reactions to the event log, and what they depend on: opening hours, routing and targets.

pub mod opening_hours;
pub mod routing;
pub mod targets;
