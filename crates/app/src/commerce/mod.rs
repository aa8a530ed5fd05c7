//! Orders, payments and money.

pub mod orders;
pub mod payments;
