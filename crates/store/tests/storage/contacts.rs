//! Contacts: after every kind of write the row, what it is known by, what it is found by and the counter agree.

mod book;
mod finding;
mod history;
mod identities;
mod index;
mod isolation;
mod listing;
mod plans;
mod racing;
mod writing;

pub use book::Book;
