//! Lenient deserializers for members that the network writes in several forms: numbers as strings, lists as null.

use domain::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::webhook::as_time;

#[derive(Deserialize)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
    Other(serde::de::IgnoredAny),
}

/// A value that is no number counts as absent.
pub(super) fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Ok(match Option::<Either>::deserialize(deserializer)? {
        Some(Either::Number(number)) => Some(number),
        Some(Either::Text(text)) => text.trim().parse().ok(),
        Some(Either::Other(_)) | None => None,
    })
}

pub(super) fn unsigned<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(integer(deserializer)?.and_then(|number| u64::try_from(number).ok()))
}

/// Seconds since 1970; a value that is no plausible time counts as absent.
pub(super) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(Option::<Value>::deserialize(deserializer)?.as_ref().and_then(as_time))
}

/// A string, or the digits of a whole number.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Option::<Either>::deserialize(deserializer)? {
        Some(Either::Number(number)) => Some(number.to_string()),
        Some(Either::Text(text)) => Some(text).filter(|text| !text.is_empty()),
        Some(Either::Other(_)) | None => None,
    })
}

/// A list; null is an empty one.
pub(super) fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
