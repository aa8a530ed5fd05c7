//! What every room builds on: ids, time, field errors, names, keys, quotas and rates.

pub(crate) mod breaker;
pub mod change;
pub mod clock;
pub mod field;
pub(crate) mod fold;
pub mod hex;
pub mod id;
pub mod idempotency;
pub(crate) mod json;
pub mod keys;
pub(crate) mod named;
pub mod quotas;
pub mod rate;
pub mod schema;
pub mod sealed_parts;
pub mod suggest;
pub(crate) mod tenant_id;
pub mod time;
pub mod timers;
pub mod zone;
