//! Results of acts that other acts pass on: a found button, the requests that opened a link, a sent message.

use domain::base::time;
use domain::messaging::channels::Channel;
use domain::{ChannelId, Timestamp};
use serde::Serialize;
use store::platform::sandbox::messages::Message;

use crate::Button;

/// A button with its message and channel.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub channel: Channel,
    pub message: Message,
    pub button: Button,
}

/// One request in the redirect chain, with its status or error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxHop)]
pub struct Hop {
    #[schema(example = "https://shop.example.com/orders/42")]
    pub url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 200, nullable = false)]
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
}

impl Hop {
    pub(super) fn failed(url: &str, error: impl std::fmt::Display) -> Self {
        Self { url: url.to_owned(), status: None, error: Some(error.to_string()) }
    }
}

/// A message from a person, scheduled to be posted to the business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxSaid)]
pub struct Said {
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgASGBQzQTdDNzIxQzg4NjQ1RjE2MDkA")]
    pub id: String,
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    pub channel_id: ChannelId,
    #[serde(serialize_with = "time::as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:05.000Z")]
    pub at: Timestamp,
}
