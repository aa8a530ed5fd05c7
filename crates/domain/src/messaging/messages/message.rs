//! A message of either direction.

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
    /// The network's type of it: `text`, `image`, …
    pub kind: String,
    /// The text that a person reads.
    pub text: Option<String>,
    /// The network's own JSON of the message; of a note the JSON of its `NoteContent`, of a row about the ticket that of
    /// its `TicketChange`. None where only statuses of it arrived, and after its contact was deleted.
    pub content: Option<String>,
    pub params: Option<TemplateParams>,
    pub network_id: Option<String>,
    /// The network's id of the message that it replies to.
    pub context_id: Option<String>,
    /// The id that the client chose; `local_id()` makes one where this is none.
    pub local_id: Option<String>,
    pub broadcast_id: Option<BroadcastId>,
    pub template_id: Option<TemplateId>,
    /// The stored file of the message.
    pub media_id: Option<MediaId>,
    /// None where it came from the network, or another system sent it over the same number.
    pub operator: Option<MessageOperator>,
    /// Its time in the history. Of a received message: when the person wrote it, by the network's clock.
    pub at: Timestamp,
    pub created_at: Timestamp,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub error: Option<MessageFailure>,
}

impl Message {
    /// A message with only the members that every message has.
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

    /// The id by which the client knows the message.
    pub fn local_id(&self) -> String {
        self.local_id.clone().unwrap_or_else(|| super::local_id::default_for(self.id))
    }
}
