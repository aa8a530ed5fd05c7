//! Tests of the sandbox through its public interface: one module per area, one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod driver;
mod graph;
mod simulation;
