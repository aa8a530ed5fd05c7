//! The schema, as a list of single statements in the shared dialect. Statements are only appended.
//!
//! A new database gets the whole schema at once (`schema.sqlite.sql`, `schema.postgres.sql`), in one transaction with
//! the records of all steps. A test writes both files from databases that ran every step, and compares.
//!
//! Other databases get the missing steps, also after a crash. SQLite applies all of them in one transaction, under the
//! write lock. PostgreSQL applies them one by one, under a lease row (`migration_guard`) that keeps two starting
//! processes apart; a statement that takes longer than the lease, or is cut off by a crash, may run twice there, and
//! does no harm.
//!
//! Each record has the version of the program that applied the step, so that an older program can name the version that
//! a database needs.

mod list;
mod record;
mod run;

pub use list::MIGRATIONS;
pub(crate) use record::{AppliedStep, VERSION, missing};
pub use run::migrate;

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub name: &'static str,
    pub sql: &'static str,
}
