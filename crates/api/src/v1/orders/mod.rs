//! Orders and payments of V1: sent as messages, moved on, read by their reference.

mod asked;
pub(super) mod details;
pub(super) mod details_template;
mod failure;
pub(super) mod payment;
mod sent;
pub(super) mod show;
pub(super) mod status;
pub(super) mod status_template;
