//! Webhooks and the log of events over the wire, on both databases: managing, testing, pulling, following.
#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the report")]

mod bad_input;
mod events;
mod manage;
mod recover;
mod stream;
mod tests_and_deliveries;
mod v2;
mod world;
