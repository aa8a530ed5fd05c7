//! An update of a member that may be empty.

/// A member of a request: absent (`Keep`), null (`Clear`) or a value (`Set`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Change<T> {
    /// For members with `#[serde(default)]`: a present member is null or a value.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(|value| value.map_or(Self::Clear, Self::Set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Update {
        #[serde(default)]
        name: Change<String>,
    }

    #[test]
    fn json_says_all_three() {
        let read = |text: &str| serde_json::from_str::<Update>(text).unwrap().name;
        assert_eq!(read("{}"), Change::Keep);
        assert_eq!(read(r#"{"name":null}"#), Change::Clear);
        assert_eq!(read(r#"{"name":"Ada"}"#), Change::Set("Ada".to_owned()));
        assert!(serde_json::from_str::<Update>(r#"{"name":7}"#).is_err());
    }
}
