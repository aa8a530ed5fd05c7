//! The `metadata` of a webhook: the business's phone number.

use domain::messaging::channels::Channel;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberMetadata {
    pub phone_number_id: String,
    /// Digits.
    pub display_phone_number: String,
}

impl From<&Channel> for NumberMetadata {
    fn from(channel: &Channel) -> Self {
        Self { phone_number_id: channel.phone_number_id.clone(), display_phone_number: channel.phone_number.clone() }
    }
}

impl NumberMetadata {
    pub fn metadata(&self) -> Value {
        json!({ "display_phone_number": self.display_phone_number, "phone_number_id": self.phone_number_id })
    }
}
