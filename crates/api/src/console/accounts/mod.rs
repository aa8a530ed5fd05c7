//! The accounts of a tenant, managed by its administrators.

pub(super) mod create;
pub(super) mod invite;
mod issued_link;
pub(super) mod link;
pub(super) mod list;
pub(super) mod remove;
pub(super) mod update;
