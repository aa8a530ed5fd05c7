//! The console: live updates.

pub(super) mod live;
