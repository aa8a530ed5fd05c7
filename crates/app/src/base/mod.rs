//! What every room builds on: the database, the clock and the keys, errors, cursors, caches, idempotency, quotas,
//! grouped writes, emitting facts and signals to open consoles.

pub(crate) mod cache;
pub(crate) mod chunks;
pub(crate) mod compute;
pub(crate) mod cursor;
pub(crate) mod emit;
pub(crate) mod error;
pub(crate) mod group_writer;
pub mod idempotency;
pub mod keys;
pub(crate) mod node;
pub(crate) mod page_request;
pub(crate) mod quotas;
pub(crate) mod room;
pub mod signals;
mod state;
pub(crate) mod tenant_lease;
pub(crate) mod tenant_scan;
pub(crate) mod timer;

pub use state::Base;
