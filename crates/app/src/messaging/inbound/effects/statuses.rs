//! Statuses of sent messages: a status moves a message forward or not at all, and of each step the earliest reported
//! time is kept. A status of an unknown message makes a placeholder row.

use channels::webhook::{NetworkError, Status};
use domain::messaging::messages::{Message, MessageDirection, MessageFailure, MessageState};
use domain::{ContactId, Id, MessageId, Timestamp};
use store::Tx;
use store::messaging::messages;

use super::people;
use crate::Result;
use crate::messaging::inbound::arrival::{Arrival, lost_race};
use crate::messaging::messages::emit::{ReportedChange, emit_reported};
use crate::messaging::messages::merge_reported;

pub(super) async fn apply(tx: &mut Tx<'_>, arrival: &Arrival<'_>, status: &Status) -> Result<()> {
    let found = find_message(tx, arrival, status).await?;
    let contact = people::resolve_contact(tx, arrival, &status.recipient, status.at).await?.map(|contact| contact.id);
    let at = arrival.when(status.at);
    let Some(Found { before, joined }) = found else {
        let message = advanced(placeholder(arrival, status, contact), status, at);
        return if messages::insert(tx, arrival.tenant, &message).await? { Ok(()) } else { Err(lost_race()) };
    };
    let mut after = advanced(joined, status, at);
    after.contact_id = after.contact_id.or(contact);
    if after == before {
        return Ok(());
    }
    messages::update(tx, arrival.tenant, &after).await?;
    let moved = ReportedChange { before: &before, after: &after, at };
    emit_reported(tx, arrival.tenant, arrival.channel, moved, arrival.now).await
}

/// Returns our own message as it is after a status. A message without a network id gets that of the status.
pub(in crate::messaging::inbound) fn applied(
    mut ours: Message,
    status: &Status,
    contact: Option<ContactId>,
    at: Timestamp,
) -> Message {
    ours.network_id.get_or_insert_with(|| status.id.clone());
    let mut after = advanced(ours, status, at);
    after.contact_id = after.contact_id.or(contact);
    after
}

/// A message as it is stored, and as it is after its placeholder row was joined into it.
struct Found {
    before: Message,
    joined: Message,
}

impl Found {
    fn unchanged(message: Message) -> Self {
        Self { joined: message.clone(), before: message }
    }
}

/// Finds the message by our id, which travels as callback data, or by the network's id. An earlier status that came
/// without our id made a placeholder row under the network's id: it is joined into the message and deleted.
async fn find_message(tx: &mut Tx<'_>, arrival: &Arrival<'_>, status: &Status) -> Result<Option<Found>> {
    let (tenant, channel) = (arrival.tenant, arrival.channel.id);
    let by_network_id = messages::by_network_id_for_update(tx, tenant, channel, &status.id).await?;
    let Some(id) = status.callback_data.as_deref().and_then(|data| data.parse::<MessageId>().ok()) else {
        return Ok(by_network_id.map(Found::unchanged));
    };
    let ours = messages::by_id_for_update(tx, tenant, id).await?;
    let Some(ours) = ours.filter(|one| one.channel_id == channel && one.direction == MessageDirection::Outbound) else {
        return Ok(by_network_id.map(Found::unchanged));
    };
    if ours.network_id.is_some() {
        return Ok(Some(Found::unchanged(ours)));
    }
    // A row with content is a message of its own, not a placeholder, and keeps its network id.
    if by_network_id.as_ref().is_some_and(|one| one.content.is_some() || one.direction == MessageDirection::Inbound) {
        return Ok(by_network_id.map(Found::unchanged));
    }
    let mut found = Found::unchanged(ours);
    if let Some(placeholder) = by_network_id {
        messages::remove(tx, tenant, placeholder.id).await?;
        found.joined = merge_reported(found.joined, &placeholder);
    }
    found.joined.network_id = Some(status.id.clone());
    Ok(Some(found))
}

/// The row for a status of an unknown message: another system sent it over the same number, or the sender has not
/// stored its network id yet.
fn placeholder(arrival: &Arrival<'_>, status: &Status, contact_id: Option<ContactId>) -> Message {
    let (id, at) = (Id::new(arrival.now), arrival.when(status.at));
    Message {
        contact_id,
        network_id: Some(status.id.clone()),
        created_at: arrival.received_at.to_millis(),
        ..Message::bare(id, arrival.channel.id, MessageDirection::Outbound, MessageState::Unknown, "unknown", at)
    }
}

fn advanced(mut message: Message, status: &Status, at: Timestamp) -> Message {
    let at = Some(at);
    message.state = message.state.advanced(status.state);
    match status.state {
        MessageState::Sent => message.sent_at = Timestamp::earlier(message.sent_at, at),
        MessageState::Delivered => message.delivered_at = Timestamp::earlier(message.delivered_at, at),
        MessageState::Read => message.read_at = Timestamp::earlier(message.read_at, at),
        MessageState::Failed => {
            message.failed_at = Timestamp::earlier(message.failed_at, at);
            message.error = MessageFailure::preferred(message.error, status.error.as_ref().map(failure));
        }
        _ => {}
    }
    message
}

fn failure(error: &NetworkError) -> MessageFailure {
    let NetworkError { code, title, message, details, .. } = error.clone();
    MessageFailure { code: Some(code), title, message, details }
}
