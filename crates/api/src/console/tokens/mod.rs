//! API tokens and legacy JWTs.

pub(super) mod create;
pub(super) mod legacy;
pub(super) mod list;
pub(super) mod renew;
pub(super) mod revoke;
mod shape;
