//! Backup and restore, on both engines and between them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod citus;
mod consistency;
mod contacts;
mod crafted;
mod fresh;
mod refusals;
mod replacing;
mod round_trip;
mod rows;
mod sealed;
mod tenant;
