//! Orders, payments and money.

pub mod orders;
pub mod payments;
mod room;

pub use room::Commerce;
