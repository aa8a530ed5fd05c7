//! Who sent a message, as its row remembers.

use serde::{Deserialize, Serialize};

use crate::ActsFor;

/// Through which door it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Source {
    Api,
    Web,
}

impl Source {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Web => "WEB",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    /// Of the account that sent it, or whose token did.
    pub email: Option<String>,
    pub source: Source,
    #[serde(default)]
    pub is_bot: bool,
}

impl Operator {
    pub fn of(caller: &impl ActsFor, source: Source, is_bot: bool) -> Self {
        Self { email: caller.account().map(|account| account.email.clone()), source, is_bot }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// None where nobody of ours sent it.
    pub fn read(text: Option<&str>) -> Option<Self> {
        text.and_then(|text| serde_json::from_str(text).ok())
    }
}
