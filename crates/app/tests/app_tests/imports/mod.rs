//! Importing and exporting contacts, on both databases.

mod dry_runs;
mod exports;
mod files;
mod neighbours;
mod resuming;
mod rows;
mod uploads;
mod world;

/// True if `SWITCHBOARD_TEST_LONG` is set.
fn long() -> bool {
    std::env::var_os("SWITCHBOARD_TEST_LONG").is_some()
}
