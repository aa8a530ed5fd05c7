//! The accounts of a tenant, managed by its administrators.

pub(in crate::console) mod create;
pub(in crate::console) mod invite;
mod issued_link;
pub(in crate::console) mod link;
pub(in crate::console) mod list;
pub(in crate::console) mod remove;
pub(in crate::console) mod update;
