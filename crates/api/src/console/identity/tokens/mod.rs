//! API tokens and legacy JWTs.

pub(in crate::console) mod create;
pub(in crate::console) mod legacy;
pub(in crate::console) mod list;
pub(in crate::console) mod renew;
pub(in crate::console) mod revoke;
mod shape;
