//! Channels: the numbers over which the tenant talks to people.

pub(super) mod list;
