//! Orders from the send to the last cent: what is stored with them, what is learnt of their payments, what is told.

mod lists;
mod looking_up;
mod parking;
mod paying;
mod people;
mod sending;
mod shop;
mod statuses;
