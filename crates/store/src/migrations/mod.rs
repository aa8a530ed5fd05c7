//! The schema, as a list of single statements in the shared dialect. The list only grows.
//!
//! Every statement can be run again without harm, so a start that was cut short goes on where it was. On PostgreSQL
//! a lease keeps two starters apart; on SQLite the write lock does.

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
