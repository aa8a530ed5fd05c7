//! Orders from their creation to the final payment: rows, ledgers, events.

mod lists;
mod looking_up;
mod parking;
mod paying;
mod people;
mod sending;
pub mod shop;
mod statuses;
