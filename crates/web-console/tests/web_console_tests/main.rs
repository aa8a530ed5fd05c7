//! The steps of the build script, and the files that this build embeds.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "../../build/mod.rs"]
mod steps;

mod building;
mod choosing;
mod embedded;
mod hashing;
