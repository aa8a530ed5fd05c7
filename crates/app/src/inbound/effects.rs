//! What each kind of record leads to. Every effect can happen again without a difference, and the same records end in
//! the same state, whatever their order.

mod calls;
mod messages;
mod payments;
mod people;
mod preferences;
mod reports;
mod statuses;

use channels::webhook::{Record, What};
use domain::channels::Channel;
use domain::{TenantId, Timestamp};
use store::Tx;

use crate::{Error, Result};

/// Where and when something arrived.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub received_at: Timestamp,
    pub now: Timestamp,
}

impl Arrival<'_> {
    /// When something happened, as it is stored. Nothing is reported before it happens, whatever a clock says.
    fn when(&self, told: Timestamp) -> Timestamp {
        told.min(self.received_at).to_millis()
    }
}

/// Why a record has no effect here, if so: it is put aside with this reason.
pub(super) type Refused = Option<String>;

pub(super) async fn apply(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<Refused> {
    if is_for(arrival.channel, record) {
        return have_effect(tx, arrival, record).await;
    }
    let Some(channel) = neighbour(tx, arrival, record).await? else {
        return Ok(Some(format!("{}: it is for another number or account", record.field)));
    };
    have_effect(tx, &Arrival { channel: &channel, ..*arrival }, record).await
}

async fn have_effect(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<Refused> {
    if let What::Payment(report) = &record.what {
        return payments::note(tx, arrival, record, report).await;
    }
    match &record.what {
        What::Message(message) => messages::receive(tx, arrival, message).await,
        What::Status(status) => statuses::note(tx, arrival, status).await,
        What::Call(event) => calls::event(tx, arrival, event).await,
        What::CallStatus(status) => calls::progress(tx, arrival, status).await,
        What::UserIdChange(change) => people::renamed(tx, arrival, record, change).await,
        What::Preference(preference) => preferences::note(tx, arrival, record, preference).await,
        What::NumberQuality(quality) => reports::number_quality(tx, arrival, record, quality).await,
        _ => reports::note(tx, arrival, record).await,
    }?;
    Ok(None)
}

fn is_for(channel: &Channel, record: &Record) -> bool {
    match &record.line {
        Some(line) => channel.phone_number_id == line.phone_number_id,
        // The network's own test posts are of account 0.
        None => record.account_id.is_empty() || record.account_id == "0" || channel.account_id == record.account_id,
    }
}

/// One app of the network posts for all numbers of an account to one place.
async fn neighbour(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<Option<Channel>> {
    let all = store::channels::list_in(tx, arrival.tenant).await?.into_iter().map(|stored| stored.channel);
    let network = &arrival.channel.network;
    Ok(all.into_iter().find(|one| one.network == *network && is_for(one, record)))
}

/// Somebody else wrote it between our look and our write: the next run of the transaction finds it.
fn overtaken() -> Error {
    Error::Store(store::Error::TryAgain("another transaction was faster".to_owned()))
}
