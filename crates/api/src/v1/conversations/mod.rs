//! Conversations in V1.

pub(super) mod assign;
pub(super) mod history;
pub(super) mod message;
pub(super) mod status;
