//! A message as a person's phone shows it, in either direction: the `doc` of a stored message.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::platform::sandbox::messages::Message;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhoneMessageView {
    /// Header, body and footer on separate lines, with variables filled in.
    pub text: String,
    /// The text of the header, with variables filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The text without header and footer, where the message has one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
    pub buttons: Vec<Button>,
    /// The object under the message's `type`, as sent.
    pub content: Value,
    /// The id of the message that this one replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// `marketing`, `utility`, `authentication` or `service`; absent for messages of a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_data: Option<String>,
    /// The network's conversation id; only of a message that waits for the person's phone to come online.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// Error code of a failed message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<i64>,
}

/// A button, list row or link.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Button {
    pub text: String,
    /// `reply`, `row`, `url`, `flow`, `order` of interactive messages; `quick_reply`, `url`, `phone_number`,
    /// `copy_code`, `flow`, … of templates.
    #[serde(rename = "type")]
    pub kind: String,
    /// The link with variables filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The id of a reply or a row, the payload of a quick reply, the code to copy, the number to call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl PhoneMessageView {
    pub fn from_message(message: &Message) -> Self {
        serde_json::from_str(&message.doc).unwrap_or_default()
    }

    pub fn to_doc(&self) -> String {
        // Plain data always serializes.
        domain::to_json(self)
    }
}
