//! The call log.

pub(super) mod counts;
pub(super) mod list;
pub(super) mod record;
pub(super) mod show;
pub(super) mod update;

use domain::calls::{CallDirection, CallFilter, CallStatus, OperatorRef};
use serde::Deserializer;

use crate::input::span;
use crate::prelude::*;

/// The filters that the list and the counts share, as the request has them.
#[derive(Debug)]
struct FilterMembers<'a> {
    direction: Option<CallDirection>,
    operator: Option<&'a str>,
    durations: (Option<i32>, Option<i32>),
    dates: (Option<Moment>, Option<Moment>),
}

fn filter(asked: &FilterMembers<'_>) -> ApiResult<CallFilter> {
    let (min_duration, max_duration) = (asked.durations.0.map(i64::from), asked.durations.1.map(i64::from));
    if min_duration.zip(max_duration).is_some_and(|(min, max)| min > max) {
        return Err(ApiError::invalid("min_duration", "is greater than max_duration"));
    }
    let (from, to) = span(["start_date", "end_date"], asked.dates.0, asked.dates.1)?;
    let operator = |who: &str| who.parse().map_or_else(|_| OperatorRef::Email(who.to_lowercase()), OperatorRef::Id);
    let operator = asked.operator.map(operator);
    let direction = asked.direction;
    Ok(CallFilter { direction, operator, min_duration, max_duration, from, to, ..CallFilter::default() })
}

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
