//! Orders, payments and amounts of money.

pub mod money;
pub mod orders;
pub mod payments;
