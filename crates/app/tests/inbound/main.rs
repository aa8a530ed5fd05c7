//! What the network posts, from the signature to its effects, on both databases.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod accepting;
mod effects;
mod orders;
mod trouble;
mod world;
