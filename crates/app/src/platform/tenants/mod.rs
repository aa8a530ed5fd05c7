//! Tenants' life cycle.

pub(crate) mod create;
pub(crate) mod data;
pub(crate) mod suspend;

pub use create::NewTenant;
