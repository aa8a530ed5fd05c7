//! The API over the wire, on both databases. There is one module for each area and one binary: each further binary
//! would link the whole crate again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod accounts;
mod architecture;
mod bounds;
mod broadcasts;
mod calls;
mod channels;
mod clicks;
mod console;
mod contacts;
mod conversations;
mod document;
mod edge;
mod hooks;
mod idempotency;
mod import_graph;
mod imports;
mod isolation;
mod layers;
mod media;
mod normalize;
mod opening_hours;
mod orders;
mod permissions;
mod role_table;
mod rooms;
mod routing;
mod sandbox;
mod sending;
mod teams;
mod templates;
mod webhooks;
