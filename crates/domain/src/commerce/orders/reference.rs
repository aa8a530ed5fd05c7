//! The name of an order: chosen by the business, and used by the network for its payment.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

const MAX: usize = 35;

/// 1 to 35 of `A-Za-z0-9_.-`. Letter case counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Reference(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected 1 to 35 characters: A-Z, a-z, 0-9, _ . and -")]
pub struct NotAReference;

impl Reference {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Reference {
    type Err = NotAReference;

    fn from_str(text: &str) -> Result<Self, NotAReference> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let sound = (1..=MAX).contains(&text.len()) && text.bytes().all(fits);
        if sound { Ok(Self(text.to_owned())) } else { Err(NotAReference) }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
