//! The gate before every operation: `guarded(permission, routes!(op))` enforces the declaration and writes it into
//! the OpenAPI document. There is no other way to add an operation.

mod caller;
mod client;
mod declare;
mod idempotency;
mod operation;
mod pass;
mod still_authorized;

pub(crate) use caller::{Caller, LocalAdmin};
pub(crate) use client::ClientAddress;
pub(crate) use declare::{guarded, guarded_secret};
pub(crate) use still_authorized::PresentedCredential;
