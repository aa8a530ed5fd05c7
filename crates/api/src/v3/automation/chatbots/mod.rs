//! Chatbots: these operations exist for compatible clients. Switchboard has no chatbots, so lists are empty and starts
//! fail.

pub(in crate::v3) mod list;
pub(in crate::v3) mod start;
