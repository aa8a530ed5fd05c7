//! The console: counts of orders.

pub(super) mod order_counts;
