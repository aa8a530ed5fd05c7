//! Files from their arrival to the network and back, on both databases.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod bringing;
mod fetching;
mod opening;
mod sweeping;
mod taking;
mod world;
