//! Broadcasts from the request to the person's phone and back: counts that add up at every moment, recipients, stopping.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod counting;
mod stopping;
mod telling;
mod world;
