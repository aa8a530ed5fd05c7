//! Counts by day, for the charts of the console.

pub(super) mod daily;
