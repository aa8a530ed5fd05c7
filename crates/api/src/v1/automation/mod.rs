//! V1: chatbots.

pub(super) mod chatbots;
