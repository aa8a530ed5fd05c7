//! What is told: each event of messages, templates and calls, once, by the transaction that makes it true.
#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod calls;
mod failing;
mod leaving;
mod log;
mod members;
mod receiving;
mod reports;
mod templates;
#[path = "../sending/world.rs"]
#[expect(dead_code, reason = "some of it is for other tests")]
mod world;
