//! Orders and payments of V1: sent as messages, moved on, read by their reference.

pub(super) mod details;
pub(super) mod details_template;
mod failure;
pub(super) mod payment;
mod requests;
mod sent;
pub(super) mod show;
pub(super) mod status;
pub(super) mod status_template;
