//! Payments in V1.

pub(crate) mod show;
