//! Orders, payments and amounts of money.

pub mod orders;
pub mod payments;
mod room;

pub use room::Commerce;
