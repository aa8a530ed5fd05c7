//! Chooses the times of an accepted message's statuses and schedules them: sent, delivered, read; only sent while the
//! phone is offline; or failed.

use domain::{TenantId, Timestamp};
use store::Tx;
use store::platform::sandbox::due;

use crate::core::change::row;
use crate::core::dice::Dice;
use crate::graph::error::title;
use crate::notices::statuses::{self, Sent};
use crate::{NumberMetadata, notices, schedule};

const MILLI: i64 = 1000;

/// Times of the statuses that a message can get. `of` chooses them within one second after a start: `sent`, `delivered`
/// and `read` follow each other; `failed` lies 50 to 300 ms after the start, for a message that gets no other status.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub sent: Timestamp,
    pub delivered: Timestamp,
    pub read: Timestamp,
    pub failed: Timestamp,
}

const fn later(at: Timestamp, than: Timestamp) -> Timestamp {
    let soonest = than.micros().saturating_add(MILLI);
    Timestamp::from_micros(if at.micros() > soonest { at.micros() } else { soonest })
}

impl Times {
    /// The same times, with `delivered` and `read` at least 1 ms after those of `other`.
    #[must_use]
    pub const fn behind(self, other: &Self) -> Self {
        let delivered = later(self.delivered, other.delivered);
        Self { delivered, read: later(later(self.read, other.read), delivered), ..self }
    }

    pub fn roll(dice: &Dice, id: &str, now: Timestamp) -> Self {
        let after = |what: &str, low: i64, high: i64| {
            let millis = dice.between(&["time", id, what], low, high);
            now.plus_micros(millis * MILLI)
        };
        Self {
            sent: after("sent", 20, 150),
            delivered: after("delivered", 200, 450),
            read: after("read", 500, 950),
            failed: after("failed", 50, 300),
        }
    }
}

/// The channel that a message was sent over.
#[derive(Debug, Clone)]
pub struct SendingChannel {
    pub tenant: TenantId,
    pub channel: domain::ChannelId,
    pub number: NumberMetadata,
}

pub async fn arrives(tx: &mut Tx<'_>, sender: &SendingChannel, message: &Sent, times: Times) -> store::Result<()> {
    let reports = [
        ("sent", times.sent, statuses::sent(&sender.number, message, times.sent)),
        ("delivered", times.delivered, statuses::delivered(&sender.number, message, times.delivered)),
        ("read", times.read, statuses::read(&sender.number, message, times.read)),
    ];
    let rows = reports
        .map(|(status, at, change)| row(sender.tenant, sender.channel, at, format!("{}:{status}", message.id), change));
    due::insert_many(tx, &rows).await
}

/// Schedules `sent` only: the person's phone is offline.
pub async fn waits(tx: &mut Tx<'_>, sender: &SendingChannel, message: &Sent, times: Times) -> store::Result<()> {
    let change = statuses::sent(&sender.number, message, times.sent);
    schedule(tx, sender.tenant, sender.channel, times.sent, &format!("{}:sent", message.id), &change).await
}

/// Schedules `delivered` and `read` of a message that waited for the phone to come online.
pub async fn arrives_late(tx: &mut Tx<'_>, sender: &SendingChannel, message: &Sent, times: Times) -> store::Result<()> {
    let reports = [
        ("delivered", times.delivered, statuses::delivered(&sender.number, message, times.delivered)),
        ("read", times.read, statuses::read(&sender.number, message, times.read)),
    ];
    let rows = reports
        .map(|(status, at, change)| row(sender.tenant, sender.channel, at, format!("{}:{status}", message.id), change));
    due::insert_many(tx, &rows).await
}

pub async fn fails(
    tx: &mut Tx<'_>,
    sender: &SendingChannel,
    message: &Sent,
    at: Timestamp,
    code: i64,
) -> store::Result<()> {
    let errors = vec![notices::error(code, title(code), why(code))];
    let change = statuses::failed(&sender.number, message, at, errors);
    schedule(tx, sender.tenant, sender.channel, at, &format!("{}:failed", message.id), &change).await
}

fn why(code: i64) -> &'static str {
    match code {
        131_026 => "Unable to deliver the message. The recipient cannot be reached on this network.",
        131_047 => "More than 24 hours have passed since the recipient last replied to the sender number.",
        131_049 => "The network chose not to deliver this marketing message.",
        131_050 => "The recipient has chosen to stop receiving marketing messages from this business.",
        _ => title(code),
    }
}
