//! SQLite.

pub(crate) mod connection;
pub(crate) mod driver;
pub(crate) mod read_lock;
