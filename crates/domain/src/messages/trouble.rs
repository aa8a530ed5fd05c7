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
