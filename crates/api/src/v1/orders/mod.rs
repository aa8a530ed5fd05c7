//! Orders and payments in V1.

pub(super) mod details;
pub(super) mod details_template;
mod failure;
pub(super) mod payment;
mod requests;
mod sent;
pub(super) mod show;
pub(super) mod status;
pub(super) mod status_template;
