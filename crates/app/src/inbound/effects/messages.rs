//! Messages of people: one row for each id of the network.

use channels::webhook::Message;
use domain::Id;
use domain::messages::{Direction, State};
use store::Tx;
use store::messages;

use super::{Arrival, overtaken, people};
use crate::Result;

pub(super) async fn receive(tx: &mut Tx<'_>, arrival: &Arrival<'_>, message: &Message) -> Result<()> {
    let (tenant, channel) = (arrival.tenant, arrival.channel.id);
    if messages::by_network_id(tx, tenant, channel, &message.id).await?.is_some() {
        return Ok(());
    }
    let contact = people::seen(tx, arrival, &message.from, message.at).await?;
    let received = messages::Message {
        id: Id::new(arrival.now),
        channel_id: channel,
        contact_id: contact.map(|contact| contact.id),
        direction: Direction::Inbound,
        state: State::RECEIVED,
        kind: message.kind.clone(),
        text: message.text.clone(),
        content: Some(message.content.clone()),
        network_id: Some(message.id.clone()),
        context_id: message.context.as_ref().and_then(|context| context.id.clone()).or_else(|| message.target.clone()),
        at: arrival.when(message.at),
        created_at: arrival.received_at.to_millis(),
        sent_at: None,
        delivered_at: Some(arrival.received_at.to_millis()),
        read_at: None,
        failed_at: None,
        error: None,
    };
    if messages::insert(tx, tenant, &received).await? { Ok(()) } else { Err(overtaken()) }
}
