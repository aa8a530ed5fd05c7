//! Numbers that the network writes now as a number, now as a text.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
    Other(serde::de::IgnoredAny),
}

/// What cannot be read as a number is as good as absent.
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
