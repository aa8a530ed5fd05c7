//! Traffic with the network: channels, templates, messages, conversations, media, broadcasts, clicks, the sender and
//! inbound records.

pub mod broadcasts;
pub mod channels;
pub mod clicks;
pub mod conversations;
pub mod inbound;
pub mod media;
pub mod messages;
mod room;
pub mod templates;

pub use room::Messaging;
pub(crate) use room::MessagingConfig;
