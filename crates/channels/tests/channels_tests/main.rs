//! The Graph client and the parser of webhooks. One module per area, one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod graph;
mod webhook;
mod webhook_fuzz;
