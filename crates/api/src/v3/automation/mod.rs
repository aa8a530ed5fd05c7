//! V3: chatbots and opening hours.

pub(super) mod chatbots;
pub(super) mod opening_hours;
