//! Chatbots. There are none on this server: the plans that have them list none, and none can be started.

pub(super) mod list;
pub(super) mod start;
