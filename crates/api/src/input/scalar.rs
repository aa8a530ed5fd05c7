//! A value that clients send as a string, a number or a boolean.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The value as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar(pub String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyScalar)
    }
}

struct AnyScalar;

impl Visitor<'_> for AnyScalar {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Scalar, E> {
        Ok(Scalar(flag.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar(number.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar(number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_taken_as_they_are_written() {
        let read = |json: &str| serde_json::from_str::<Scalar>(json).map(|scalar| scalar.0);
        for (json, text) in
            [("\"a\"", "a"), ("14155552671", "14155552671"), ("-1", "-1"), ("2.5", "2.5"), ("true", "true")]
        {
            assert_eq!(read(json).unwrap(), text);
        }
        for bad in ["null", "[]", "{}"] {
            assert!(read(bad).unwrap_err().to_string().contains("expected a string"), "{bad}");
        }
    }
}
