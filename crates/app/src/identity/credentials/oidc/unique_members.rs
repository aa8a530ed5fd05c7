//! JSON in which no object has a member twice. Otherwise two parsers could take different values for the same claim.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// An object without repeated members, at any depth.
pub(super) struct UniqueMembers(pub Map<String, Value>);

struct UniqueValue(Value);

impl<'de> Deserialize<'de> for UniqueMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(UniqueVisitor)?.0 {
            Value::Object(members) => Ok(Self(members)),
            _ => Err(D::Error::custom("expected an object")),
        }
    }
}

impl<'de> Deserialize<'de> for UniqueValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = UniqueValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value without repeated members")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<UniqueValue, A::Error> {
        let mut members = Map::new();
        while let Some((name, UniqueValue(value))) = access.next_entry::<String, UniqueValue>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member appears twice"));
            }
        }
        Ok(UniqueValue(Value::Object(members)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<UniqueValue, A::Error> {
        let mut values = Vec::new();
        while let Some(UniqueValue(value)) = access.next_element()? {
            values.push(value);
        }
        Ok(UniqueValue(Value::Array(values)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<UniqueValue, E> {
        Ok(UniqueValue(Value::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<UniqueValue, E> {
        Ok(UniqueValue(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<UniqueValue, E> {
        Ok(UniqueValue(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<UniqueValue, E> {
        Ok(UniqueValue(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<UniqueValue, E> {
        Ok(UniqueValue(Value::String(value.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<UniqueValue, E> {
        Ok(UniqueValue(Value::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_member_is_refused_at_every_depth() {
        let parsed = |text: &str| serde_json::from_str::<UniqueMembers>(text).map(|it| Value::Object(it.0));
        let good = r#"{"a":1,"b":[true,null,-2,1.5,{"c":"d"}],"e":{"a":"é"}}"#;
        assert_eq!(parsed(good).unwrap(), serde_json::from_str::<Value>(good).unwrap());
        for bad in [r#"{"a":1,"a":1}"#, r#"{"a":{"b":1,"b":2}}"#, r#"{"a":[{"b":1,"b":2}]}"#, "[]", "1", r#"{"a":1}x"#]
        {
            assert!(parsed(bad).is_err(), "{bad}");
        }
    }
}
