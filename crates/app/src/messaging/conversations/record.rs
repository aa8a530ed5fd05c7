//! Records messages in a conversation: creates or reopens the conversation, and adds rows about its ticket to its
//! history.

use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{HistoryKind, Message, MessageDirection, MessageOperator, MessageState};
use domain::messaging::ticket_change::TicketChange;
use domain::{ChannelId, ContactId, Id, TenantId, Timestamp};
use store::Tx;

use super::emit::emit_conversation;
use crate::Result;

/// What identifies a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConversationKey {
    pub tenant: TenantId,
    pub channel: ChannelId,
    pub contact: ContactId,
}

/// Records a message of the person: opens the 24-hour window, and opens the ticket of a new, solved or pending
/// conversation. A blocked conversation stays blocked.
pub(crate) async fn record_inbound(
    tx: &mut Tx<'_>,
    key: ConversationKey,
    at: Timestamp,
    text: Option<&str>,
    now: Timestamp,
) -> Result<Conversation> {
    apply(tx, key, at, now, |conversation| conversation.record_inbound(at, text, now)).await
}

/// Records a free message of the business: opens the ticket of a new or solved conversation, but not the window.
pub(crate) async fn record_outbound(
    tx: &mut Tx<'_>,
    key: ConversationKey,
    at: Timestamp,
    text: Option<&str>,
    now: Timestamp,
) -> Result<Conversation> {
    apply(tx, key, at, now, |conversation| conversation.record_outbound(at, text, now)).await
}

/// Applies `change` to the conversation, creating it if there is none. If the ticket is opened, adds a row about that
/// with the time of the message and an earlier id, so that it stands before the message. Emits the end of a snooze.
async fn apply(
    tx: &mut Tx<'_>,
    key: ConversationKey,
    at: Timestamp,
    now: Timestamp,
    change: impl FnOnce(&mut Conversation) -> bool + Send,
) -> Result<Conversation> {
    let known =
        store::messaging::conversations::with_contact_for_update(tx, key.tenant, key.contact, key.channel).await?;
    let (is_new, was_snoozed) = (known.is_none(), known.as_ref().is_some_and(|one| one.snoozed_until.is_some()));
    let mut conversation = known.unwrap_or_else(|| Conversation::new(key.channel, key.contact, now));
    let reopened = change(&mut conversation);
    if is_new {
        store::messaging::conversations::insert_many(tx, key.tenant, std::slice::from_ref(&conversation)).await?;
    } else {
        store::messaging::conversations::update(tx, key.tenant, &conversation).await?;
    }
    if is_new || reopened {
        store::messaging::messages::insert(tx, key.tenant, &opening_row(&conversation, is_new, at, now)).await?;
    }
    if was_snoozed && conversation.snoozed_until.is_none() {
        emit_conversation(tx, key.tenant, &conversation, None, now).await?;
    }
    Ok(conversation)
}

/// Adds a row about the ticket to the conversation's history.
pub(crate) async fn add_ticket_row(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: &Conversation,
    change: &TicketChange,
    author: Option<MessageOperator>,
    now: Timestamp,
) -> Result<()> {
    store::messaging::messages::insert(tx, tenant, &ticket_row(conversation, change, author, now, now)).await?;
    Ok(())
}

/// The row about the opening of a ticket by a message. `is_new`: the message also created the conversation. `at` is the
/// time of the message; a time in the future becomes `now`.
pub(crate) fn opening_row(conversation: &Conversation, is_new: bool, at: Timestamp, now: Timestamp) -> Message {
    let change = if is_new { TicketChange::Opened } else { TicketChange::Reopened };
    ticket_row(conversation, &change, None, at.min(now), now)
}

/// A row about the ticket. `at` decides its place in the history; its id is made from `now`.
fn ticket_row(
    conversation: &Conversation,
    change: &TicketChange,
    author: Option<MessageOperator>,
    at: Timestamp,
    now: Timestamp,
) -> Message {
    Message {
        contact_id: Some(conversation.contact_id),
        conversation_id: Some(conversation.id),
        ticket_id: Some(conversation.ticket_id),
        event: HistoryKind::Ticket,
        text: Some(change.to_string()),
        content: Some(change.to_json()),
        operator: author,
        ..Message::bare(
            Id::new(now),
            conversation.channel_id,
            MessageDirection::Outbound,
            MessageState::Read,
            "ticket",
            at.to_millis(),
        )
    }
}
