//! V1: conversations.

pub(super) mod conversations;
