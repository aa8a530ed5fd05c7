//! Conversations in V1.

pub(in crate::v1) mod assign;
pub(in crate::v1) mod history;
pub(in crate::v1) mod message;
pub(in crate::v1) mod status;
