//! Tracked links against the sandbox: opened by people and machines, told once, listed, counted, scored again.
#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

#[path = "../../../domain/tests/templates/bad.rs"]
#[expect(dead_code, reason = "the table itself is for other tests")]
mod bad;
mod listing;
mod opening;
mod rescoring;
mod schema;
mod telling;
mod world;
