//! A text that clients write as a string or, like the network, as an object with a `text`.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// None when the text is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FlexibleText(Option<String>);

#[derive(Deserialize)]
struct Wrapped {
    text: Option<String>,
}

impl FlexibleText {
    pub fn into_text(self) -> Option<String> {
        self.0
    }
}

/// None for a text that is empty or blank: clients send empty strings for absent values.
pub(crate) fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

impl<'de> Deserialize<'de> for FlexibleText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlexibleTextVisitor)
    }
}

struct FlexibleTextVisitor;

impl<'de> Visitor<'de> for FlexibleTextVisitor {
    type Value = FlexibleText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FlexibleText, E> {
        Ok(FlexibleText(non_empty(Some(text.to_owned()))))
    }

    fn visit_unit<E: Error>(self) -> Result<FlexibleText, E> {
        Ok(FlexibleText(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FlexibleText, A::Error> {
        let wrapped = Wrapped::deserialize(MapAccessDeserializer::new(map))?;
        Ok(FlexibleText(non_empty(wrapped.text)))
    }
}
