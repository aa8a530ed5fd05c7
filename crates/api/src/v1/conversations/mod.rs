//! Conversations in V1.

pub(super) mod assign;
pub(super) mod history;
pub(super) mod message;
pub(crate) mod shape;
pub(super) mod status;
