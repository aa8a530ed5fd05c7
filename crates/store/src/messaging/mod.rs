//! Traffic with the network: channels, templates, messages, conversations, media, broadcasts, clicks, the sender and
//! inbound records.

pub mod broadcasts;
pub mod channel_tokens;
pub mod channels;
pub mod clicks;
pub mod conversations;
pub mod inbound;
pub mod media;
pub mod messages;
pub mod network_reports;
pub mod outbox;
pub mod templates;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        broadcasts::statements(),
        channel_tokens::statements(),
        channels::statements(),
        clicks::statements(),
        conversations::statements(),
        inbound::statements(),
        media::statements(),
        messages::statements(),
        messages::terms::statements(),
        network_reports::statements(),
        outbox::statements(),
        templates::statements(),
    ]
    .concat()
}
