//! The Graph side, asked as the network's clients ask it, on both databases.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod calls;
mod determinism;
mod limits;
mod media;
mod net;
mod objects;
mod refusals;
mod sending;
mod templates;
