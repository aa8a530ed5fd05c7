//! The commands, as the real binary runs them, each test on a data folder of its own.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod accounts;
mod backups;
mod channels;
mod contacts;
mod run;
mod seeds;
mod templates;
mod tenants;
mod tokens;
mod webhooks;
mod without_database;
