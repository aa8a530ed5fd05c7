//! Webhooks and the log of events over the wire, on both databases: managing, testing, pulling, following.

mod bad_input;
mod events;
mod manage;
mod recover;
mod stream;
mod tests_and_deliveries;
mod v2;
mod world;
