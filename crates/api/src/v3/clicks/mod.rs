//! Clicks on tracked links: the list of hits, and counts.

pub(super) mod counts;
pub(super) mod list;
mod shape;
