//! Sends messages and read marks.

use serde::{Deserialize, Serialize};

use super::client::{Done, Graph, Result};
use super::content::Outgoing;
use super::failure::GraphError;

/// The network's answer to a message that it accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub message_id: String,
    pub contact: Option<Receiver>,
    /// `accepted`, `held_for_quality_assessment`, `paused`
    pub message_status: Option<String>,
}

/// The recipient as the network resolved it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Receiver {
    #[serde(default)]
    pub input: Option<String>,
    #[serde(default)]
    pub wa_id: Option<String>,
    #[serde(default)]
    pub user_id: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    messages: Vec<Message>,
    #[serde(default)]
    contacts: Option<Vec<Receiver>>,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    #[serde(default)]
    message_status: Option<String>,
}

#[derive(Serialize)]
struct Read<'a> {
    messaging_product: &'static str,
    status: &'static str,
    message_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    typing_indicator: Option<Typing>,
}

#[derive(Serialize)]
struct Typing {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[boxed::futures]
impl Graph {
    pub async fn send(&self, message: &Outgoing) -> Result<Sent> {
        Self::sent(self.post(&self.number_url(&["messages"])?, message).await?)
    }

    pub(super) async fn send_body(&self, body: Vec<u8>) -> Result<Sent> {
        Self::sent(self.post_json(&self.number_url(&["messages"])?, body).await?)
    }

    fn sent(answer: Answer) -> Result<Sent> {
        // Without an id no report can be matched, so it is unknown whether the message was taken.
        let taken = answer.messages.into_iter().next().filter(|message| !message.id.is_empty());
        let taken = taken.ok_or_else(|| GraphError::unreadable(200, "the response has no message id"))?;
        let contact = answer.contacts.and_then(|contacts| contacts.into_iter().next());
        Ok(Sent { message_id: taken.id, contact, message_status: taken.message_status })
    }

    /// Marks a message of the person, and those before it, as read; `typing` also shows the typing indicator.
    pub async fn mark_read(&self, message_id: &str, typing: bool) -> Result<()> {
        let read = Read {
            messaging_product: "whatsapp",
            status: "read",
            message_id,
            typing_indicator: typing.then_some(Typing { kind: "text" }),
        };
        self.post::<Done>(&self.number_url(&["messages"])?, &read).await?.check()
    }
}
