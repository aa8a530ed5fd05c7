//! A person's inbox: received messages as the phone shows them.

use app::{Error, Result};
use domain::channels::Channel;
use domain::{TenantId, Timestamp, time};
use serde::Serialize;
use store::sandbox::messages::{self, Message};
use store::sandbox::people::Person;

use crate::{Button, PhoneMessageView, Sandbox};

const MOST: i64 = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = SandboxInbox)]
pub struct Inbox {
    /// In the order in which the business sent them, the newest last.
    pub messages: Vec<InboxMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = SandboxMessage)]
pub struct InboxMessage {
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA")]
    pub id: String,
    /// The business's number.
    #[schema(example = "14155550100")]
    pub from: String,
    #[schema(example = "Your order is on its way.")]
    pub text: String,
    pub buttons: Vec<InboxButton>,
    #[serde(serialize_with = "time::as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    pub received_at: Timestamp,
    #[serde(serialize_with = "time::as_optional_rfc3339")]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:03.000Z")]
    pub read_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = SandboxButton)]
pub struct InboxButton {
    #[schema(example = "Track it")]
    pub text: String,
    #[serde(rename = "type")]
    #[schema(example = "url")]
    pub kind: String,
    /// The link that the button opens, with variables filled in.
    #[schema(example = "https://shop.example.com/orders/42")]
    pub url: Option<String>,
}

impl From<&Button> for InboxButton {
    fn from(button: &Button) -> Self {
        let Button { text, kind, url, .. } = button.clone();
        Self { text, kind, url }
    }
}

impl InboxMessage {
    fn new(channel: &Channel, message: &Message, now: Timestamp) -> Self {
        let view = PhoneMessageView::of(message);
        Self {
            id: message.id.clone(),
            from: channel.phone_number.clone(),
            buttons: view.buttons.iter().map(InboxButton::from).collect(),
            text: view.text,
            received_at: message.received_at.unwrap_or(message.at),
            read_at: message.read_at.filter(|at| *at <= now),
        }
    }
}

impl Sandbox {
    pub async fn inbox(&self, tenant: TenantId, person: &str, limit: i64) -> Result<Inbox> {
        if !(1..=MOST).contains(&limit) {
            return Err(Error::invalid("limit", format!("expected 1 to {MOST}")));
        }
        let person = self.find(tenant, person).await?;
        let now = self.now();
        let newest = self.received(tenant, &person, limit).await?;
        let view = newest.iter().rev().map(|(channel, message)| InboxMessage::new(channel, message, now));
        Ok(Inbox { messages: view.collect() })
    }

    /// The person's last `limit` received messages over all channels, the last sent first.
    pub(super) async fn received(
        &self,
        tenant: TenantId,
        person: &Person,
        limit: i64,
    ) -> Result<Vec<(Channel, Message)>> {
        let mut all = Vec::new();
        for channel in self.sandbox_channels(tenant).await? {
            let some = messages::received(self.db(), tenant, channel.id, person.position, self.now(), limit).await?;
            all.extend(some.into_iter().map(|message| (channel.clone(), message)));
        }
        all.sort_by(|(_, one), (_, other)| (other.at, &other.id).cmp(&(one.at, &one.id)));
        all.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(all)
    }
}
