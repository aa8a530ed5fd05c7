//! Payments of orders.

pub(super) mod show;
