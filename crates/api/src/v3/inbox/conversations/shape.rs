//! The wire shapes of conversations in V3.

use app::inbox::conversations::ConversationView;
use domain::messaging::messages::MessageDirection;
use domain::{ChannelId, ContactId, ConversationId, TicketId};

use crate::prelude::*;
use crate::shared::messaging::conversations::last_failure;
use crate::v3::messaging::assignee::ConversationAssignee;
use crate::v3::people::labels::shape::LabelOn;

/// A conversation with one contact on one channel.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Conversation)]
pub(crate) struct ConversationShape {
    id: ConversationId,
    /// `open`, `solved`, `pending` or `block`.
    #[schema(example = "open")]
    status: &'static str,
    /// The current ticket. A new one begins each time the conversation is opened.
    ticket_id: TicketId,
    contact_id: ContactId,
    #[schema(example = "Ada Lovelace")]
    contact_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    phone: Option<String>,
    #[schema(example = "US.13491208655302741918")]
    bsuid: String,
    channel_id: ChannelId,
    /// Absent if the channel was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Support", nullable = false)]
    channel_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155550100", nullable = false)]
    channel_phone_number: Option<String>,
    /// The assignee; null if the conversation is unassigned.
    assignee: Option<ConversationAssignee>,
    /// End of the window in which the business may write without a template. Absent if the person has never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-25T10:00:00.000Z", nullable = false)]
    window_until: Option<String>,
    /// The first 100 characters of the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Hello!", nullable = false)]
    last_message: Option<String>,
    #[serde(serialize_with = "as_rfc3339")]
    last_message_at: Timestamp,
    /// With `details`: the network's type for the last message: `text`, `image`, `template`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "text", nullable = false)]
    last_message_type: Option<String>,
    /// With `details`: whether the business wrote the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_message_owner: Option<bool>,
    /// With `details`: the status of the last message, with the same values as a message's `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "delivered", nullable = false)]
    last_message_status: Option<&'static str>,
    /// With `details`: why the last message did not arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_message_failed_detail: Option<String>,
    /// Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    labels: Vec<LabelOn>,
    /// With `details`: how many of the person's messages the calling operator has not seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 2, minimum = 0, nullable = false)]
    unread: Option<i64>,
    /// When the snooze ends; it ends earlier if the person writes. Absent if the conversation is not snoozed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-25T08:00:00.000Z", nullable = false)]
    snoozed_until: Option<String>,
    /// With `details`: increases with each change to the status, assignee or snooze.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3, nullable = false)]
    version: Option<i64>,
    /// When the current ticket was opened.
    #[serde(serialize_with = "as_rfc3339")]
    opened: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
}

impl From<ConversationView> for ConversationShape {
    fn from(listed: ConversationView) -> Self {
        let ConversationView { conversation, contact, channel, labels, details } = listed;
        let version = details.as_ref().map(|_| conversation.version);
        let (unread, last_message) = details.map_or((None, None), |details| (details.unread, details.last_message));
        let failed = last_message.as_ref().and_then(|last| last_failure(last.state, last.error.as_ref()));
        let (channel_name, channel_phone_number) = channel.map(|one| (one.name, one.phone_number)).unzip();
        let has_written = conversation.window_until > Timestamp::from_micros(0);
        Self {
            id: conversation.id,
            status: conversation.status.name(),
            ticket_id: conversation.ticket_id,
            contact_id: conversation.contact_id,
            contact_name: contact.name,
            username: contact.username,
            phone: contact.phone,
            bsuid: contact.bsuid,
            channel_id: conversation.channel_id,
            channel_name,
            channel_phone_number,
            assignee: conversation.assignee.map(ConversationAssignee::from),
            window_until: has_written.then(|| conversation.window_until.to_rfc3339()),
            last_message: conversation.last_text,
            last_message_at: conversation.last_at,
            last_message_type: last_message.as_ref().map(|last| last.kind.clone()),
            last_message_owner: last_message.as_ref().map(|last| last.direction == MessageDirection::Outbound),
            last_message_status: last_message.as_ref().map(|last| last.state.name()),
            last_message_failed_detail: failed,
            labels: LabelOn::all(&labels, &conversation.labels),
            unread,
            snoozed_until: conversation.snoozed_until.map(Timestamp::to_rfc3339),
            version,
            opened: conversation.opened_at,
            created: conversation.created_at,
        }
    }
}
