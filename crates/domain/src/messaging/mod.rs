//! Traffic with the network: channels, templates, messages, conversations, media, broadcasts, clicks, the sender and
//! inbound records.

pub mod broadcasts;
pub mod channels;
pub mod clicks;
pub mod conversations;
pub mod messages;
pub mod pacing;
pub mod templates;
pub mod ticket_change;
