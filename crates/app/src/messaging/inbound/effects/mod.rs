//! The effect of each kind of record; calls and payments have handlers of their own (`messaging/inbound/handlers.rs`).
//! Applying a record again changes nothing, and statuses, calls and payments lead to the same state in any order of
//! arrival.

pub(super) mod messages;
pub(crate) mod people;
mod preferences;
pub(crate) mod reports;
pub(super) mod statuses;

use channels::webhook::{Notification, Record};
use domain::messaging::channels::Channel;
use store::Tx;

use super::arrival::{Arrival, Refused, is_for};
use super::handlers::RecordHandlers;
use crate::Result;

pub(super) async fn apply(
    tx: &mut Tx<'_>,
    handlers: RecordHandlers,
    arrival: &Arrival<'_>,
    record: &Record,
) -> Result<Refused> {
    if is_for(arrival.channel, record) {
        return apply_to_channel(tx, handlers, arrival, record).await;
    }
    let Some(channel) = sibling_channel(tx, arrival, record).await? else {
        return Ok(Some(format!("{}: it is for another number or account", record.field)));
    };
    apply_to_channel(tx, handlers, &Arrival { channel: &channel, ..*arrival }, record).await
}

async fn apply_to_channel(
    tx: &mut Tx<'_>,
    handlers: RecordHandlers,
    arrival: &Arrival<'_>,
    record: &Record,
) -> Result<Refused> {
    for handler in handlers {
        if let Some(handled) = handler.handle(tx, arrival, record) {
            return handled.await;
        }
    }
    match &record.notification {
        Notification::Message(message) => messages::receive(tx, arrival, message).await,
        Notification::Status(status) => statuses::apply(tx, arrival, status).await,
        Notification::UserIdChange(change) => people::apply_id_change(tx, arrival, record, change).await,
        Notification::Preference(preference) => preferences::apply(tx, arrival, record, preference).await,
        Notification::NumberQuality(quality) => reports::apply_number_quality(tx, arrival, record, quality).await,
        _ => reports::store_and_apply(tx, arrival, record).await,
    }?;
    Ok(None)
}

/// Finds the tenant's channel on the same network that the record is for: the network may post for all numbers of an
/// account to the hook of one of them.
async fn sibling_channel(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<Option<Channel>> {
    let all = store::messaging::channels::list_in(tx, arrival.tenant).await?.into_iter().map(|stored| stored.channel);
    let network = &arrival.channel.network;
    Ok(all.into_iter().find(|one| one.network == *network && is_for(one, record)))
}
