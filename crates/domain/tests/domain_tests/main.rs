//! Tests of the rules through the public interface. One module per area, one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod clicks;
mod opening_hours;
mod orders;
mod pacing;
mod payments;
mod reports;
mod routing;
mod targets;
mod templates;
