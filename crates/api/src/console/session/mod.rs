//! Logging in and out.

pub(super) mod log_in;
pub(super) mod log_out;
pub(super) mod log_out_everywhere;
pub(super) mod show;
