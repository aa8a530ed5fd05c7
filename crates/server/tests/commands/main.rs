//! Runs the commands of the real binary; each test has its own data folder.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod accounts;
mod backups;
mod channels;
mod citus;
mod contacts;
mod run;
mod seeds;
mod templates;
mod tenants;
mod tokens;
mod webhooks;
mod without_database;
