//! Tests of the rules through the public interface. One module per area, one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod clicks;
mod orders;
mod pacing;
mod payments;
mod templates;
