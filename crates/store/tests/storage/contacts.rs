//! Contacts: after every kind of write the row, its identities, its terms and the counter agree.

mod book;
mod finding;
mod history;
mod identities;
mod index;
mod isolation;
mod listing;
mod plans;
mod racing;
mod unindexed;
mod writing;
