//! The store on both engines. One binary, since linking both databases takes long.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod accounts;
mod audit;
mod broadcasts;
mod calls;
mod calls_while_writing;
mod citus;
mod contacts;
mod conversations;
mod distributed;
mod epochs;
mod fixtures;
mod idempotency;
mod inbox;
mod installation;
mod kept_plans;
mod leases;
mod limits;
mod media;
mod memberships;
mod migrations;
mod oidc_states;
mod one_time_links;
mod opening_hours;
mod plans;
mod postgres_options;
mod round_trips;
mod routing;
mod sandbox;
mod schema;
mod segments;
mod sessions;
mod statements;
mod teams;
mod templates;
mod tenants;
mod tokens;
mod transactions;
mod turns;
mod upkeep;
