//! V3: broadcasts, channels, clicks, messages and templates.

pub(super) mod broadcasts;
pub(super) mod channels;
pub(super) mod clicks;
pub(super) mod messages;
pub(super) mod templates;
