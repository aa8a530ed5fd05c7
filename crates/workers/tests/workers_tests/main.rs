//! Background loops in a running process.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod imports;
mod loops;
mod snoozes;
