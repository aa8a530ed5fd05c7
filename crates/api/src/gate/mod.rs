//! The gate before every operation: `guarded(permission, routes!(op))` enforces the declaration and writes it into
//! the OpenAPI document. There is no other way to add an operation.

mod again;
mod client;
mod declare;
mod idempotency;
mod pass;

pub(crate) use again::Shown;
pub(crate) use client::ClientAddress;
pub(crate) use declare::{guarded, guarded_secret};
pub(crate) use pass::{Caller, OfTheMachine};
