//! Clicks on tracked links: the list of hits, and counts.

pub(in crate::v3) mod counts;
pub(in crate::v3) mod list;
mod shape;
