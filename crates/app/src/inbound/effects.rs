//! The effect of each kind of record. Applying a record again changes nothing, and statuses, calls and payments lead to
//! the same state in any order of arrival.

mod calls;
pub(super) mod messages;
mod payments;
pub(super) mod people;
mod preferences;
mod reports;
pub(super) mod statuses;

use channels::webhook::{Notification, Record};
use domain::channels::Channel;
use domain::{TenantId, Timestamp};
use store::Tx;

use crate::{Error, Result};

/// The channel and time of arrival of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub received_at: Timestamp,
    pub now: Timestamp,
}

impl Arrival<'_> {
    /// The reported time as it is stored: never after the arrival, since clocks differ.
    pub fn when(&self, reported: Timestamp) -> Timestamp {
        reported.min(self.received_at).to_millis()
    }
}

/// Why a record is parked; none when it was applied.
pub(super) type Refused = Option<String>;

pub(super) async fn apply(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<Refused> {
    if is_for(arrival.channel, record) {
        return apply_to_channel(tx, arrival, record).await;
    }
    let Some(channel) = sibling_channel(tx, arrival, record).await? else {
        return Ok(Some(format!("{}: it is for another number or account", record.field)));
    };
    apply_to_channel(tx, &Arrival { channel: &channel, ..*arrival }, record).await
}

async fn apply_to_channel(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<Refused> {
    if let Notification::Payment(report) = &record.notification {
        return payments::apply(tx, arrival, record, report).await;
    }
    match &record.notification {
        Notification::Message(message) => messages::receive(tx, arrival, message).await,
        Notification::Status(status) => statuses::apply(tx, arrival, status).await,
        Notification::Call(event) => calls::apply_event(tx, arrival, event).await,
        Notification::CallStatus(status) => calls::apply_status(tx, arrival, status).await,
        Notification::UserIdChange(change) => people::apply_id_change(tx, arrival, record, change).await,
        Notification::Preference(preference) => preferences::apply(tx, arrival, record, preference).await,
        Notification::NumberQuality(quality) => reports::apply_number_quality(tx, arrival, record, quality).await,
        _ => reports::store_and_apply(tx, arrival, record).await,
    }?;
    Ok(None)
}

pub(super) fn is_for(channel: &Channel, record: &Record) -> bool {
    match &record.number {
        Some(number) => channel.phone_number_id == number.phone_number_id,
        // Test posts of the network have account 0.
        None => record.account_id.is_empty() || record.account_id == "0" || channel.account_id == record.account_id,
    }
}

/// Finds the tenant's channel on the same network that the record is for: the network may post for all numbers of an
/// account to the hook of one of them.
async fn sibling_channel(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<Option<Channel>> {
    let all = store::channels::list_in(tx, arrival.tenant).await?.into_iter().map(|stored| stored.channel);
    let network = &arrival.channel.network;
    Ok(all.into_iter().find(|one| one.network == *network && is_for(one, record)))
}

/// The error when another transaction inserted the row after this one had looked for it. It makes the transaction run
/// again.
pub(super) fn lost_race() -> Error {
    Error::Store(store::Error::TryAgain("another transaction was faster".to_owned()))
}
