//! Counts by day and the rows behind them, for the charts of the console.

pub(in crate::v3) mod daily;
pub(in crate::v3) mod messages;
