//! What every room builds on: the database, the clock and the keys, errors, cursors, caches, idempotency, quotas,
//! grouped writes, emitting facts, news between nodes and signals to open consoles.

pub(crate) mod cache;
pub(crate) mod chunks;
pub(crate) mod compute;
mod connections;
pub(crate) mod cursor;
pub(crate) mod emit;
pub(crate) mod error;
mod exchange_news;
pub(crate) mod group_writer;
pub mod idempotency;
pub(crate) mod interval;
pub mod keys;
pub mod news;
pub(crate) mod node;
pub(crate) mod page_request;
pub(crate) mod quotas;
pub(crate) mod room;
pub mod signals;
mod state;
pub(crate) mod tenant_lease;
pub(crate) mod tenant_scan;

pub use state::Base;
