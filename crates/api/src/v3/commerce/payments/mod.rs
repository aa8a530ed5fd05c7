//! Payments of orders.

pub(in crate::v3) mod show;
