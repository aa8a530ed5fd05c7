//! The gate before every operation: `guarded(permission, routes!(op))` enforces the declaration and writes it into
//! the OpenAPI document. There is no other way to add an operation.

mod client;
mod declare;
mod pass;

pub(crate) use client::ClientAddress;
pub(crate) use declare::guarded;
pub(crate) use pass::{Caller, OfTheMachine};
