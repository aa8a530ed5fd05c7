//! Messages of people: one row for each id of the network.

use channels::webhook::Message;
use domain::Id;
use domain::messages::{Direction, State};
use store::Tx;
use store::messages;

use super::{Arrival, overtaken, people};
use crate::Result;
use crate::conversations::{Place, received};

pub(super) async fn receive(tx: &mut Tx<'_>, arrival: &Arrival<'_>, message: &Message) -> Result<()> {
    let (tenant, channel) = (arrival.tenant, arrival.channel.id);
    if messages::by_network_id(tx, tenant, channel, &message.id).await?.is_some() {
        return Ok(());
    }
    let contact = people::seen(tx, arrival, &message.from, message.at).await?.map(|contact| contact.id);
    let at = arrival.when(message.at);
    let conversation = match contact {
        Some(contact) => {
            let place = Place { tenant, channel, contact };
            Some(received(tx, place, at, message.text.as_deref(), arrival.now).await?)
        }
        None => None,
    };
    let replied_to = message.context.as_ref().and_then(|context| context.id.clone()).or_else(|| message.target.clone());
    let id = Id::new(arrival.now);
    let new = messages::Message {
        contact_id: contact,
        conversation_id: conversation.as_ref().map(|one| one.id),
        ticket_id: conversation.as_ref().map(|one| one.ticket_id),
        text: message.text.clone(),
        content: Some(message.content.clone()),
        network_id: Some(message.id.clone()),
        context_id: replied_to.clone(),
        created_at: arrival.received_at.to_millis(),
        delivered_at: Some(arrival.received_at.to_millis()),
        ..messages::Message::bare(id, channel, Direction::Inbound, State::RECEIVED, &message.kind, at)
    };
    if !messages::insert(tx, tenant, &new).await? {
        return Err(overtaken());
    }
    match replied_to {
        Some(network_id) => replied(tx, arrival, &network_id).await,
        None => Ok(()),
    }
}

/// An answer shows that what it answers was read.
async fn replied(tx: &mut Tx<'_>, arrival: &Arrival<'_>, network_id: &str) -> Result<()> {
    let found = messages::by_network_id(tx, arrival.tenant, arrival.channel.id, network_id).await?;
    let Some(mut ours) = found.filter(|one| one.direction == Direction::Outbound) else { return Ok(()) };
    let state = ours.state.advanced(State::Replied);
    if state != ours.state {
        ours.state = state;
        messages::update(tx, arrival.tenant, &ours).await?;
    }
    Ok(())
}
