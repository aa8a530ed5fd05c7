//! The schema, as a list of single statements in the shared dialect. Statements are only appended.
//!
//! After a crash the next start applies what is missing. SQLite applies all missing statements in one transaction,
//! under the write lock. PostgreSQL applies them one by one, under a lease row (`migration_guard`) that keeps two
//! starting processes apart; a statement that takes longer than the lease, or is cut off by a crash, may run twice
//! there, and does no harm.

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
