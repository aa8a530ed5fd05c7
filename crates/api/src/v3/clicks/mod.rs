//! Clicks on tracked links: hit by hit, and counted.

pub(super) mod counts;
pub(super) mod list;
mod shape;
