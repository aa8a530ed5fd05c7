//! V1: orders and payments.

pub(super) mod orders;
pub(super) mod payments;
