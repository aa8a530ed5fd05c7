//! Amounts in requests: whole numbers only. A decimal point is refused here.

use std::fmt;

use domain::commerce::money::{Amount, MoneyError};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use crate::answer::described_as::described_as;

/// An [`Amount`] that is parsed strictly.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(expecting = "an object with value and offset")]
pub(crate) struct AmountInput {
    #[serde(deserialize_with = "whole")]
    value: i64,
    #[serde(deserialize_with = "whole")]
    offset: i64,
}

described_as!(AmountInput, Amount);

impl From<AmountInput> for Amount {
    fn from(AmountInput { value, offset }: AmountInput) -> Self {
        Self { value, offset }
    }
}

/// Parses a whole number; for `#[serde(deserialize_with)]`.
pub(super) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    deserializer.deserialize_any(Whole)
}

struct Whole;

impl Visitor<'_> for Whole {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<i64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<i64, E> {
        i64::try_from(number).map_err(|_| E::custom(MoneyError::Overflow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_are_amounts() {
        let read = |value: &str| serde_json::from_str::<AmountInput>(&format!(r#"{{"value":{value},"offset":100}}"#));
        assert_eq!(read("-5").unwrap().value, -5);
        assert_eq!(read("9223372036854775807").unwrap().value, i64::MAX);
        let message = |value| read(value).unwrap_err().to_string();
        assert!(message("9223372036854775808").starts_with("is too large"));
        for wrong in ["21.5", "1e3", "\"21\"", "null", "true", "99999999999999999999999"] {
            assert!(message(wrong).contains("expected a whole number"), "{wrong}: {}", message(wrong));
        }
    }
}
