//! The gate before every operation: credential (401), permission (403), limits (429), then the idempotency key.
//!
//! `guarded(permission, routes!(op))` enforces a declaration and writes it into the OpenAPI document; there is no other
//! way to add an operation. `pass.rs` is the middleware, `declare.rs` the declaration, `idempotency/mod.rs` the
//! layer around the operation. The rules of permissions live in `app/src/identity/gate.rs`.

mod caller;
mod client;
mod declare;
mod idempotency;
mod operation;
mod pass;
mod still_authorized;

pub(crate) use caller::{Caller, ConsoleSession, Gated, LocalAdmin, RequestOrigin};
pub(crate) use client::ClientAddress;
pub(crate) use declare::{guarded, guarded_secret};
#[cfg(feature = "document")]
pub(crate) use operation::KeyPolicy;
pub(crate) use still_authorized::PresentedCredential;
