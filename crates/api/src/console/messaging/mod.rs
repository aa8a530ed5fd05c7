//! The console: names of channels.

pub(super) mod channel_names;
