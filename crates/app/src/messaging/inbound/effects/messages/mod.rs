//! Messages that people write: one row for each message id of the network.

mod emit;

use channels::webhook::Message;
use domain::delivery::events::Fact;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{MessageDirection, MessageState};
use domain::people::contacts::Contact;
use domain::{ContactId, Id};
use store::Tx;
use store::messaging::media::fetches::PendingFetch;
use store::messaging::messages;

use self::emit::NewMessage;
use super::people;
use crate::Result;
use crate::base::emit::emit;
use crate::messaging::conversations::{ConversationKey, record_inbound};
use crate::messaging::inbound::arrival::{Arrival, lost_race};
use crate::messaging::messages::emit::{ReportedChange, emit_reported};

pub(super) async fn receive(tx: &mut Tx<'_>, arrival: &Arrival<'_>, message: &Message) -> Result<()> {
    let (tenant, channel) = (arrival.tenant, arrival.channel.id);
    if messages::by_network_id_for_update(tx, tenant, channel, &message.id).await?.is_some() {
        return Ok(());
    }
    let (contact, is_new) = people::resolve_or_create(tx, arrival, &message.from, message.at).await?.unzip();
    let at = arrival.when(message.at);
    let conversation = match &contact {
        Some(contact) => {
            let key = ConversationKey { tenant, channel, contact: contact.id };
            Some(record_inbound(tx, key, at, message.text.as_deref(), arrival.now).await?)
        }
        None => None,
    };
    let is_new = is_new.unwrap_or(false);
    let (new, facts) = received(arrival, message, contact.as_ref(), conversation.as_ref(), is_new);
    if !messages::insert(tx, tenant, &new).await? {
        return Err(lost_race());
    }
    if let Some(fetch) = pending_fetch(arrival, message, &new) {
        store::messaging::media::fetches::insert_many(tx, tenant, &[fetch]).await?;
    }
    emit(tx, tenant, &facts).await?;
    match &new.context_id {
        Some(network_id) => mark_replied(tx, arrival, network_id, message).await,
        None => Ok(()),
    }
}

/// True for a reply, reaction, edit or revocation: the message that it refers to may become `replied`.
pub(in crate::messaging::inbound) fn is_answer(message: &Message) -> bool {
    message.target.is_some() || message.context.as_ref().is_some_and(|context| context.id.is_some())
}

/// Builds the row of a message and the facts that follow from it. `is_new` says that the message created the contact.
pub(in crate::messaging::inbound) fn received(
    arrival: &Arrival<'_>,
    message: &Message,
    contact: Option<&Contact>,
    conversation: Option<&Conversation>,
    is_new: bool,
) -> (domain::messaging::messages::Message, Vec<Fact>) {
    let stored = stored(arrival, message, contact.map(|contact| contact.id), conversation);
    let new = NewMessage { message, stored: &stored, contact, conversation };
    let facts = new.facts(arrival.channel, is_new, arrival.now);
    (stored, facts)
}

/// The fetch of the file of a message, if it has one. It is stored with the row of the message, in one transaction.
pub(in crate::messaging::inbound) fn pending_fetch(
    arrival: &Arrival<'_>,
    message: &Message,
    stored: &domain::messaging::messages::Message,
) -> Option<PendingFetch> {
    message.media.is_some().then(|| PendingFetch::new(stored.id, arrival.channel.id, arrival.now))
}

fn stored(
    arrival: &Arrival<'_>,
    message: &Message,
    contact_id: Option<ContactId>,
    conversation: Option<&Conversation>,
) -> domain::messaging::messages::Message {
    let answered = message.context.as_ref().and_then(|context| context.id.clone());
    let (id, at, received_at) = (Id::new(arrival.now), arrival.when(message.at), arrival.received_at.to_millis());
    domain::messaging::messages::Message {
        contact_id,
        conversation_id: conversation.map(|one| one.id),
        ticket_id: conversation.map(|one| one.ticket_id),
        text: message.text.clone(),
        content: Some(message.content.clone()),
        network_id: Some(message.id.clone()),
        context_id: answered.or_else(|| message.target.clone()),
        created_at: received_at,
        delivered_at: Some(received_at),
        ..domain::messaging::messages::Message::bare(
            id,
            arrival.channel.id,
            MessageDirection::Inbound,
            MessageState::RECEIVED,
            &message.kind,
            at,
        )
    }
}

/// Moves the message that a reply answers to `replied`, if it is stored with its network id.
async fn mark_replied(tx: &mut Tx<'_>, arrival: &Arrival<'_>, network_id: &str, reply: &Message) -> Result<()> {
    let found = messages::by_network_id_for_update(tx, arrival.tenant, arrival.channel.id, network_id).await?;
    let Some(before) = found.filter(|one| one.direction == MessageDirection::Outbound) else { return Ok(()) };
    let after =
        domain::messaging::messages::Message { state: before.state.advanced(MessageState::Replied), ..before.clone() };
    if after.state == before.state {
        return Ok(());
    }
    messages::update(tx, arrival.tenant, &after).await?;
    let change = ReportedChange { before: &before, after: &after, at: arrival.when(reply.at) };
    emit_reported(tx, arrival.tenant, arrival.channel, change, arrival.now).await
}
