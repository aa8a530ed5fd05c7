//! Webhooks and the event log over the wire, on both databases: managing and testing webhooks, reading and streaming
//! the log.

mod bad_input;
mod events;
mod manage;
mod recover;
mod stream;
mod tests_and_deliveries;
mod v2;
mod world;
