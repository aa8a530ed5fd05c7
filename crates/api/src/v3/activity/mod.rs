//! Counts by day and the rows behind them, for the charts of the console.

pub(super) mod daily;
pub(super) mod messages;
