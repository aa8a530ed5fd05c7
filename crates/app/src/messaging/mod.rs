//! Channels, templates, messages, conversations, media, broadcasts, clicks, sending and receiving.

pub mod broadcasts;
pub mod channels;
pub mod clicks;
pub mod conversations;
pub mod inbound;
pub mod media;
pub mod messages;
pub mod templates;
