//! What is told of each kind of fact. The members have the wire's names; which type shows which is in `members`.

mod calls;
mod clicks;
mod messages;
mod news;
mod orders;
mod received;
mod templates;
mod webhooks;

pub use clicks::Clicked;
pub use messages::{Failed, Reported, SessionSent, TemplateButton, TemplateContent, TemplateSent};
pub use news::{News, Standing};
pub use orders::OrderTold;
pub use received::{Answered, NewContact, Received};
pub use templates::TemplateTold;
pub use webhooks::Defective;

use serde::Serialize;

use super::fact::Place;
use crate::channels::Channel;
use crate::{ChannelId, ConversationId, Timestamp};

/// Whom something is about. `bsuid` comes first; a number is only an attribute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    pub bsuid: Option<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub wa_id: Option<String>,
}

/// Over which channel: the default one has no id here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Over {
    channel_id: Option<ChannelId>,
    channel_phone_number: String,
}

impl Over {
    fn of(channel: &Channel) -> Self {
        let channel_id = (!channel.is_default).then_some(channel.id);
        Self { channel_id, channel_phone_number: channel.phone_number.clone() }
    }
}

fn place(channel: &Channel, conversation_id: Option<ConversationId>) -> Place {
    Place { channel_id: Some(channel.id), conversation_id }
}

/// Unix seconds, as text.
fn seconds(at: Timestamp) -> String {
    at.seconds().to_string()
}

#[cfg(test)]
mod tests;
