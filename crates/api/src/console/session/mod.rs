//! Logging in and out, and the list of sessions.

pub(super) mod end;
pub(super) mod list;
pub(super) mod log_in;
pub(super) mod log_in_step;
pub(super) mod log_out;
pub(super) mod log_out_everywhere;
pub(super) mod second_factor;
pub(super) mod show;
