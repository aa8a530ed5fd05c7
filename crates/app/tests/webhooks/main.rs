//! Telling endpoints what happens: over real HTTP, with the clock in the test's hands.
#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod breaking;
mod delivering;
mod numbering;
mod ordering;
mod outage;
mod refusing;
mod world;
