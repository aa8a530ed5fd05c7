//! Orders and payments in V1.

pub(in crate::v1) mod details;
pub(in crate::v1) mod details_template;
mod failure;
mod requests;
mod sent;
pub(in crate::v1) mod show;
pub(in crate::v1) mod status;
pub(in crate::v1) mod status_template;
