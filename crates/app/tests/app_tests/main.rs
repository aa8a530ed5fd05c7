//! The use cases on both databases. One test binary with a module for each area, since every binary links the whole
//! crate.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must fail")]

mod broadcasts;
mod callers;
mod clicks;
mod contacts;
mod conversations;
mod events;
mod idempotency;
mod imports;
mod inbound;
mod keys;
mod limits;
mod mail;
mod media;
mod oidc_provider;
mod opening_hours;
mod orders;
mod payments;
mod probe;
mod routing;
mod sending;
mod teams;
mod templates;
mod tenants;
mod upgraded_accounts;
mod webhooks;
