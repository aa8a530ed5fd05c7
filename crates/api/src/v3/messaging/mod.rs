//! V3: broadcasts, channels, clicks, messages and templates, and the assignee of a conversation.

pub(super) mod assignee;
pub(super) mod broadcasts;
pub(super) mod channels;
pub(super) mod clicks;
pub(super) mod messages;
pub(super) mod templates;
