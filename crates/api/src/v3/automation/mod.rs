//! V3: chatbots, opening hours, routing and operators.

pub(super) mod chatbots;
pub(super) mod opening_hours;
pub(super) mod operators;
pub(super) mod routing;
