//! The schema: one baseline for both engines (`baseline.sql`), followed by the steps of later releases.
//!
//! Every database gets the missing steps, also after a crash. SQLite applies all of them in one transaction, under the
//! write lock. PostgreSQL creates a new database in one transaction and applies later steps one by one, under a lease
//! row (`migration_guard`) that keeps two starting processes apart; a step that takes longer than the lease, or is cut
//! off by a crash, may run twice there, and does no harm.
//!
//! Each record has the version of the program that applied the step, so that an older program can name the version that
//! a database needs. Databases from before the baseline are refused: nothing was released before it.

mod commands;
mod record;
mod run;

pub use commands::commands;
pub(crate) use record::{AppliedStep, missing};
pub use run::{apply, is_empty};

/// One step of the schema, in the shared dialect.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub name: &'static str,
    pub sql: &'static str,
}

/// The first step. Steps of databases that were made before it have smaller names, later steps greater ones.
pub const BASELINE: &str = "1000_baseline";

/// All steps, ordered by name. A released step never changes, and can run twice: `CREATE TABLE IF NOT EXISTS …`,
/// `ALTER TABLE … ADD COLUMN {postgres IF NOT EXISTS} …`.
pub const MIGRATIONS: &[Migration] = &[
    Migration { name: BASELINE, sql: include_str!("baseline.sql") },
    Migration { name: "1010_accounts", sql: include_str!("1010_accounts.sql") },
    Migration { name: "1020_mail", sql: include_str!("1020_mail.sql") },
    Migration { name: "1030_erasures", sql: include_str!("1030_erasures.sql") },
    Migration { name: "1070_unindexed_imports", sql: include_str!("1070_unindexed_imports.sql") },
    Migration { name: "1080_erasure_ends", sql: include_str!("1080_erasure_ends.sql") },
    Migration { name: "1110_import_consent", sql: include_str!("1110_import_consent.sql") },
    Migration { name: "1120_presence_changes", sql: include_str!("1120_presence_changes.sql") },
    Migration { name: "1130_timers", sql: include_str!("1130_timers.sql") },
    Migration { name: "1140_consumers", sql: include_str!("1140_consumers.sql") },
    Migration { name: "1150_fact_causes", sql: include_str!("1150_fact_causes.sql") },
    Migration { name: "1160_opening_hours", sql: include_str!("1160_opening_hours.sql") },
    Migration { name: "1170_team_members", sql: include_str!("1170_team_members.sql") },
    Migration { name: "1180_routing", sql: include_str!("1180_routing.sql") },
];
