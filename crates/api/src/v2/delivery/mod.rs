//! V2: webhooks.

pub(super) mod webhooks;
