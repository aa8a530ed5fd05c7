//! Orders, payments and money.

pub mod money;
pub mod orders;
pub mod payments;
