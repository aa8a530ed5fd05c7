//! Event types by name, with the nearest name as a hint for one that does not exist.

use super::EventType;
use crate::base::suggest;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no event type {name:?}{hint}")]
pub struct NoSuchType {
    name: String,
    hint: String,
}

impl EventType {
    pub fn named(name: &str) -> Result<Self, NoSuchType> {
        let name = name.trim();
        name.parse().map_err(|()| NoSuchType {
            name: name.chars().take(100).collect(),
            hint: suggest::hint(name, Self::ALL.iter().map(|one| one.name())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        assert_eq!(EventType::named(" call.status "), Ok(EventType::CallStatus));
        let error = |name| EventType::named(name).unwrap_err().to_string();
        assert_eq!(
            error("sentMessageDelivered"),
            r#"there is no event type "sentMessageDelivered"; did you mean sentMessageDELIVERED?"#
        );
        assert_eq!(error("nonsense"), r#"there is no event type "nonsense""#);
        assert!(error(&"x".repeat(1000)).len() < 200);
    }
}
