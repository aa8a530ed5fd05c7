//! What messages do to a conversation: they open it, open it again, and leave rows about its ticket in its history.

use domain::conversations::Conversation;
use domain::messages::{HistoryKind, MessageDirection, MessageOperator, MessageState};
use domain::{ChannelId, ContactId, Id, TenantId, Timestamp};
use store::Tx;
use store::messages::Message;

use crate::Result;

/// Between whom a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub tenant: TenantId,
    pub channel: ChannelId,
    pub contact: ContactId,
}

/// The person wrote.
pub(crate) async fn received(
    tx: &mut Tx<'_>,
    place: Place,
    at: Timestamp,
    text: Option<&str>,
    now: Timestamp,
) -> Result<Conversation> {
    changed(tx, place, now, |conversation| conversation.received(at, text, now)).await
}

/// The business wrote freely.
pub(crate) async fn opened(
    tx: &mut Tx<'_>,
    place: Place,
    at: Timestamp,
    text: Option<&str>,
    now: Timestamp,
) -> Result<Conversation> {
    changed(tx, place, now, |conversation| conversation.wrote(at, text, now)).await
}

async fn changed(
    tx: &mut Tx<'_>,
    place: Place,
    now: Timestamp,
    change: impl FnOnce(&mut Conversation) -> bool + Send,
) -> Result<Conversation> {
    let known = store::conversations::with(tx, place.tenant, place.contact, place.channel).await?;
    let is_new = known.is_none();
    let mut conversation = known.unwrap_or_else(|| Conversation::new(place.channel, place.contact, now));
    let reopened = change(&mut conversation);
    if is_new {
        store::conversations::insert_many(tx, place.tenant, std::slice::from_ref(&conversation)).await?;
    } else {
        store::conversations::update(tx, place.tenant, &conversation).await?;
    }
    if is_new || reopened {
        let text = if is_new { "The ticket was opened" } else { "The ticket was opened again" };
        note(tx, place.tenant, &conversation, text, None, now).await?;
    }
    Ok(conversation)
}

/// A row about the ticket in the conversation's history.
pub(crate) async fn note(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: &Conversation,
    text: &str,
    operator: Option<MessageOperator>,
    now: Timestamp,
) -> Result<()> {
    let row = Message {
        contact_id: Some(conversation.contact_id),
        conversation_id: Some(conversation.id),
        ticket_id: Some(conversation.ticket_id),
        event: HistoryKind::Ticket,
        text: Some(text.to_owned()),
        operator,
        ..Message::bare(
            Id::new(now),
            conversation.channel_id,
            MessageDirection::Outbound,
            MessageState::Read,
            "ticket",
            now.to_millis(),
        )
    };
    store::messages::insert(tx, tenant, &row).await?;
    Ok(())
}
