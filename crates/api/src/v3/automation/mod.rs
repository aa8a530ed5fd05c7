//! V3: chatbots.

pub(super) mod chatbots;
