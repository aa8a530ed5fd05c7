//! Why a message failed, in the one shape in which the store keeps it and events carry it.

use serde::{Deserialize, Serialize};

/// The store keeps it as JSON in this order of members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageFailure {
    /// The network's code, or ours where the network has none.
    pub code: Option<i64>,
    pub title: Option<String>,
    pub message: Option<String>,
    pub details: Option<String>,
}

impl MessageFailure {
    pub fn to_json(&self) -> String {
        crate::to_json(self)
    }

    /// The most specific text that there is.
    pub fn detail(&self) -> Option<&str> {
        self.details.as_deref().or(self.message.as_deref()).or(self.title.as_deref())
    }

    /// Of two reported failures the one to keep. Independent of their order: the lesser of their JSON texts.
    #[must_use]
    pub fn preferred(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).min_by_key(Self::to_json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_stored_in_one_shape_and_missing_members_parse() {
        let failure =
            MessageFailure { code: Some(131_026), title: Some("Undeliverable".into()), ..MessageFailure::default() };
        let text = failure.to_json();
        assert_eq!(text, r#"{"code":131026,"title":"Undeliverable","message":null,"details":null}"#);
        assert_eq!(serde_json::from_str::<MessageFailure>(&text).unwrap(), failure);
        assert_eq!(serde_json::from_str::<MessageFailure>("{}").unwrap(), MessageFailure::default());
        assert!(serde_json::from_str::<MessageFailure>("nonsense").is_err());
    }

    #[test]
    fn details_come_before_the_message_and_the_message_before_the_title() {
        let mut failure = MessageFailure {
            code: None,
            title: Some("title".into()),
            message: Some("message".into()),
            details: Some("details".into()),
        };
        assert_eq!(failure.detail(), Some("details"));
        failure.details = None;
        assert_eq!(failure.detail(), Some("message"));
        failure.message = None;
        assert_eq!(failure.detail(), Some("title"));
        assert_eq!(MessageFailure::default().detail(), None);
    }

    #[test]
    fn which_of_two_failures_is_kept_does_not_depend_on_their_order() {
        let failure = |code| MessageFailure { code: Some(code), ..MessageFailure::default() };
        let (one, other) = (failure(131_026), failure(470));
        let kept = MessageFailure::preferred(Some(one.clone()), Some(other.clone()));
        assert_eq!(kept, Some(one.clone()), "as texts: 1 comes before 4");
        assert_eq!(MessageFailure::preferred(Some(other), Some(one.clone())), Some(one.clone()));
        assert_eq!(MessageFailure::preferred(None, Some(one.clone())), Some(one.clone()));
        assert_eq!(MessageFailure::preferred(Some(one.clone()), None), Some(one));
        assert_eq!(MessageFailure::preferred(None, None), None);
    }
}
