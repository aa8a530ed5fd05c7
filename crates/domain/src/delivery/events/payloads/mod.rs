//! The body of each kind of fact: its members have the names of the wire. Which event type shows which members is in
//! `members`.

mod calls;
mod clicks;
mod inbox;
mod messages;
mod milestones;
mod orders;
mod received;
mod templates;
mod webhooks;

pub use clicks::ClickedLink;
pub use inbox::{InboxChange, InboxSubject};
pub use messages::{FailedMessage, SentMessage, SessionSent, TemplateButton, TemplateContent, TemplateSent};
pub use milestones::{MessageMilestone, MessageProgress};
pub use orders::OrderSnapshot;
pub use received::{NewContact, ReceivedMessage, TappedReply};
pub use templates::TemplateSubject;
pub use webhooks::DefectiveWebhook;

use serde::Serialize;

use super::fact::FactScope;
use crate::messaging::channels::Channel;
use crate::{ChannelId, ConversationId, Timestamp};

/// The person that a fact is about. The BSUID is the identity; a number is only an attribute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventPerson {
    pub bsuid: Option<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub wa_id: Option<String>,
}

/// The channel that a message went over. The default channel has no id on the wire.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ViaChannel {
    channel_id: Option<ChannelId>,
    channel_phone_number: String,
}

impl ViaChannel {
    fn new(channel: &Channel) -> Self {
        let channel_id = (!channel.is_default).then_some(channel.id);
        Self { channel_id, channel_phone_number: channel.phone_number.clone() }
    }
}

fn scope(channel: &Channel, conversation_id: Option<ConversationId>) -> FactScope {
    FactScope { channel_id: Some(channel.id), conversation_id }
}

/// Unix seconds, as text.
fn seconds(at: Timestamp) -> String {
    at.seconds().to_string()
}

#[cfg(test)]
mod tests;
