//! A message of either direction, with everything that is known of it.

use super::{HistoryKind, MessageDirection, MessageFailure, MessageOperator, MessageState, TemplateParams};
use crate::{BroadcastId, ChannelId, ContactId, ConversationId, MediaId, MessageId, TemplateId, TicketId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub channel_id: ChannelId,
    pub contact_id: Option<ContactId>,
    pub conversation_id: Option<ConversationId>,
    pub ticket_id: Option<TicketId>,
    pub event: HistoryKind,
    pub direction: MessageDirection,
    pub state: MessageState,
    /// The network's word for what it is: `text`, `image`, …
    pub kind: String,
    /// What a person would read of it.
    pub text: Option<String>,
    /// The network's own JSON of it; none of a message that only statuses told of.
    pub content: Option<String>,
    pub params: Option<TemplateParams>,
    pub network_id: Option<String>,
    /// The network's id of the message that it answers.
    pub context_id: Option<String>,
    /// As the sender chose it; see `domain::messages::local_id` for the others.
    pub local_id: Option<String>,
    pub broadcast_id: Option<BroadcastId>,
    pub template_id: Option<TemplateId>,
    /// A file of ours that goes with it.
    pub media_id: Option<MediaId>,
    /// None where it came from the network, or another system sent it over the same number.
    pub operator: Option<MessageOperator>,
    /// When it was written, as the network has it.
    pub at: Timestamp,
    pub created_at: Timestamp,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub error: Option<MessageFailure>,
}

impl Message {
    /// Nothing but what every row has; the time is when it was written.
    pub fn bare(
        id: MessageId,
        channel_id: ChannelId,
        direction: MessageDirection,
        state: MessageState,
        kind: &str,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            channel_id,
            contact_id: None,
            conversation_id: None,
            ticket_id: None,
            event: HistoryKind::Message,
            direction,
            state,
            kind: kind.to_owned(),
            text: None,
            content: None,
            params: None,
            network_id: None,
            context_id: None,
            local_id: None,
            broadcast_id: None,
            template_id: None,
            media_id: None,
            operator: None,
            at,
            created_at: at,
            sent_at: None,
            delivered_at: None,
            read_at: None,
            failed_at: None,
            error: None,
        }
    }

    /// The id by which its sender knows it.
    pub fn local_id(&self) -> String {
        self.local_id.clone().unwrap_or_else(|| super::local_id::of(self.id))
    }
}
