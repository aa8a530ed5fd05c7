//! The call log.

pub(super) mod counts;
pub(super) mod list;
pub(super) mod record;
pub(super) mod show;
pub(super) mod update;

use domain::calls::{CallDirection, CallStatus};
use serde::Deserializer;

use crate::prelude::*;

/// An instant in a body: RFC 3339.
#[derive(Debug, Clone, Copy)]
struct Rfc3339Instant(Timestamp);

impl<'de> Deserialize<'de> for Rfc3339Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match Moment::parse(&text) {
            Ok(Moment::Instant(at)) => Ok(Self(at)),
            _ => Err(serde::de::Error::custom("expected an RFC 3339 time such as 2026-04-24T10:00:00Z")),
        }
    }
}

fn direction<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CallDirection, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|()| serde::de::Error::custom("expected inbound or outbound"))
}

fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CallStatus>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let known = text
        .parse()
        .map_err(|()| serde::de::Error::custom("expected ringing, in_progress, completed, missed or failed"));
    known.map(Some)
}
