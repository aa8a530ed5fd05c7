//! Chatbots: these operations exist for compatible clients. Switchboard has no chatbots, so lists are empty and starts
//! fail.

pub(in crate::v1) mod list;
pub(in crate::v1) mod start;
