//! V3: events and webhooks.

pub(super) mod events;
pub(super) mod webhooks;
