//! V3: canned replies, conversations and operators.

pub(super) mod canned_replies;
pub(super) mod conversations;
pub(crate) mod operators;
