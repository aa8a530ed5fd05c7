//! V1: broadcasts, channels, media, messages and templates.

pub(super) mod broadcasts;
pub(crate) mod channels;
pub(super) mod media;
pub(crate) mod messages;
pub(crate) mod templates;
