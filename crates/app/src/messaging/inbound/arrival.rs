//! The arrival of a record: what every effect of a record knows.

use channels::webhook::Record;
use domain::messaging::channels::Channel;
use domain::{TenantId, Timestamp};

use crate::Error;
use crate::people::contacts::ContactFollowers;

/// The channel and time of arrival of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub received_at: Timestamp,
    pub now: Timestamp,
    /// For records that show two contacts to be one person.
    pub followers: ContactFollowers,
}

impl Arrival<'_> {
    /// The reported time as it is stored: never after the arrival, since clocks differ.
    pub fn when(&self, reported: Timestamp) -> Timestamp {
        reported.min(self.received_at).to_millis()
    }
}

/// Why a record is parked; none when it was applied.
pub(crate) type Refused = Option<String>;

pub(super) fn is_for(channel: &Channel, record: &Record) -> bool {
    match &record.number {
        Some(number) => channel.phone_number_id == number.phone_number_id,
        // Test posts of the network have account 0.
        None => record.account_id.is_empty() || record.account_id == "0" || channel.account_id == record.account_id,
    }
}

/// The error when another transaction inserted the row after this one had looked for it. It makes the transaction run
/// again.
pub(crate) fn lost_race() -> Error {
    Error::Store(store::Error::TryAgain("another transaction was faster".to_owned()))
}
