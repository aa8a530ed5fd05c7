//! What went wrong with a message, in the one shape in which it is kept and told.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trouble {
    /// The network's code, or ours where the network has none.
    pub code: Option<i64>,
    pub title: Option<String>,
    pub message: Option<String>,
    pub details: Option<String>,
}

impl Trouble {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What a row has of it.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The most telling text.
    pub fn detail(&self) -> Option<&str> {
        self.details.as_deref().or(self.message.as_deref()).or(self.title.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_stored_and_reads_back_whatever_is_missing() {
        let trouble = Trouble { code: Some(131_026), title: Some("Undeliverable".into()), ..Trouble::default() };
        let text = trouble.to_json();
        assert_eq!(text, r#"{"code":131026,"title":"Undeliverable","message":null,"details":null}"#);
        assert_eq!(Trouble::read(&text), Some(trouble));
        assert_eq!(Trouble::read("{}"), Some(Trouble::default()));
        assert_eq!(Trouble::read("nonsense"), None);
    }

    #[test]
    fn details_tell_more_than_the_message_and_that_more_than_the_title() {
        let mut trouble = Trouble {
            code: None,
            title: Some("title".into()),
            message: Some("message".into()),
            details: Some("details".into()),
        };
        assert_eq!(trouble.detail(), Some("details"));
        trouble.details = None;
        assert_eq!(trouble.detail(), Some("message"));
        trouble.message = None;
        assert_eq!(trouble.detail(), Some("title"));
        assert_eq!(Trouble::default().detail(), None);
    }
}
