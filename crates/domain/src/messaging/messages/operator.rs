//! Who sent a message, a broadcast or an order, as it is stored.

use serde::{Deserialize, Serialize};

/// Whether the send came over the API or from the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MessageSource {
    Api,
    Web,
}

impl MessageSource {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Web => "WEB",
        }
    }
}

/// The store keeps it as JSON in this order of members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageOperator {
    /// Of the account that sent it, or that owns the token.
    pub email: Option<String>,
    pub source: MessageSource,
    #[serde(default)]
    pub is_bot: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_is_stored_in_one_shape_and_rows_without_is_bot_parse() {
        let operator =
            MessageOperator { email: Some("ada@example.com".to_owned()), source: MessageSource::Web, is_bot: true };
        let text = serde_json::to_string(&operator).unwrap();
        assert_eq!(text, r#"{"email":"ada@example.com","source":"WEB","is_bot":true}"#);
        assert_eq!(serde_json::from_str::<MessageOperator>(&text).unwrap(), operator);
        let older = serde_json::from_str::<MessageOperator>(r#"{"email":null,"source":"API"}"#).unwrap();
        assert_eq!(older, MessageOperator { email: None, source: MessageSource::Api, is_bot: false });
        assert_eq!((MessageSource::Api.name(), MessageSource::Web.name()), ("API", "WEB"));
    }
}
