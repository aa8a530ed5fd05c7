//! The steps of the build script, and the files that this build embeds.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "../../build/mod.rs"]
mod steps;

mod api_docs;
mod building;
mod choosing;
mod docs;
mod embedded;
mod hashing;
