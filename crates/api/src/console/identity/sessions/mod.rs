//! Logging in and out, the tenants of a session, and the list of sessions.

pub(in crate::console) mod end;
pub(in crate::console) mod join;
pub(in crate::console) mod list;
pub(in crate::console) mod log_in;
pub(in crate::console) mod log_in_step;
pub(in crate::console) mod log_out;
pub(in crate::console) mod log_out_everywhere;
pub(in crate::console) mod second_factor;
pub(in crate::console) mod show;
pub(in crate::console) mod switch;
pub(in crate::console) mod tenants;
