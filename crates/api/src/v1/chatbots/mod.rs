//! Chatbots: these operations exist for compatible clients. Switchboard has no chatbots, so lists are empty and starts
//! fail.

pub(super) mod list;
pub(super) mod start;
