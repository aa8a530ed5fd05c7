//! Orders from the send to the last cent: what is stored with them, what is learnt of their payments, what is told.
#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod lists;
mod looking_up;
mod parking;
mod paying;
mod people;
mod sending;
mod shop;
mod statuses;
#[path = "../sending/world.rs"]
#[expect(dead_code, reason = "some of it is for other tests")]
mod world;
