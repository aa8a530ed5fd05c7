//! The schema, as a list of single statements in the shared dialect. Statements are only appended.
//!
//! Every statement can run again without harm, so after a crash the next start continues. Two processes that start at
//! the same time are kept apart by a lease row (`migration_guard`) on PostgreSQL and by the write lock on SQLite.

mod list;
mod run;

pub use list::MIGRATIONS;
pub use run::migrate;
pub(crate) use run::missing;

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub name: &'static str,
    pub sql: &'static str,
}
