//! Payments of orders: what was paid, as far as it is known.

pub(super) mod show;
