//! The pacer from outside: its rules one by one, random traffic against an independent meter, whole campaigns.

mod campaign;
mod meter;
mod outbox;
mod properties;
mod rules;

use domain::messaging::messages::Urgency;
use domain::messaging::pacing::Candidate;
use domain::{ChannelId, ContactId, Id, TemplateId, Timestamp};

const START: Timestamp = Timestamp::from_seconds(1_776_000_000);
const SECOND: i64 = 1_000_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;

/// With `SWITCHBOARD_TEST_LONG` set, tests that have a long form take it.
pub(crate) fn long() -> bool {
    std::env::var_os("SWITCHBOARD_TEST_LONG").is_some()
}

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(START.micros() + micros)
}

/// Ids of different kinds differ.
fn id<K>(kind: u64, which: u64) -> Id<K> {
    Id::seeded(START, (kind << 40) | which)
}

fn channel(which: u64) -> ChannelId {
    id(1, which)
}

fn person(which: u64) -> ContactId {
    id(2, which)
}

fn template(which: u64) -> TemplateId {
    id(3, which)
}

/// A message of the first number that opens no conversation.
fn message(which: u64, to: u64, urgency: Urgency) -> Candidate {
    let (id, contact) = (id(4, which), person(to));
    Candidate { id, channel: channel(0), contact, urgency, template: None, opens: false }
}

/// A template message to a person outside of the window: it opens a conversation.
fn opening(which: u64, to: u64, urgency: Urgency) -> Candidate {
    Candidate { opens: true, template: Some(template(0)), ..message(which, to, urgency) }
}
