//! A person's phone: the messages that it received, as it shows them, and those that the person wrote.

use app::{Error, Result};
use domain::base::time;
use domain::messaging::channels::Channel;
use domain::{Field, TenantId, Timestamp};
use serde::Serialize;
use store::platform::sandbox::messages::{self, Message};
use store::platform::sandbox::people::Person;

use super::files::{self, FileReference};
use crate::{Button, PhoneMessageView, Sandbox};

const MOST: i64 = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxInbox)]
pub struct Inbox {
    /// In the order in which the business sent them, newest last.
    pub messages: Vec<InboxMessage>,
    /// What the person wrote, newest last. Together with `received_at` of the messages, `at` gives the order on the
    /// phone, also of messages within one second.
    pub said: Vec<SaidMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxSaidMessage)]
pub struct SaidMessage {
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA")]
    pub id: String,
    /// The network's type: `text`, `image`, `location`, `button`, …
    #[serde(rename = "type")]
    #[schema(example = "text")]
    pub kind: String,
    #[schema(example = "Is it ready?")]
    pub text: String,
    #[serde(serialize_with = "time::as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    pub at: Timestamp,
}

impl From<&Message> for SaidMessage {
    fn from(message: &Message) -> Self {
        let text = PhoneMessageView::from_message(message).text;
        Self { id: message.id.clone(), kind: message.kind.clone(), text, at: message.at }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxMessage)]
pub struct InboxMessage {
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA")]
    pub id: String,
    /// The business's number.
    #[schema(example = "14155550100")]
    pub from: String,
    /// All texts of the message, each on a separate line: header, body and footer.
    #[schema(example = "Your order is on its way.")]
    pub text: String,
    /// What appears above the body of a template or an interactive message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub header: Option<InboxHeader>,
    /// The file, if the message is one. Its caption is the `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub media: Option<InboxFile>,
    /// The text without header and footer.
    #[schema(example = "Your order is on its way.")]
    pub body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Reply STOP to opt out", nullable = false)]
    pub footer: Option<String>,
    pub buttons: Vec<InboxButton>,
    #[serde(serialize_with = "time::as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    pub received_at: Timestamp,
    #[serde(serialize_with = "time::as_optional_rfc3339")]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:03.000Z")]
    pub read_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxHeader)]
pub struct InboxHeader {
    /// `text`, `image`, `video`, `document` or `location`.
    #[serde(rename = "type")]
    #[schema(example = "image")]
    pub kind: String,
    /// The text of a text header, or the name and address of a location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Summer sale", nullable = false)]
    pub text: Option<String>,
    /// The file's path on this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/api/ext/v3/sandbox/people/US.13491208655302741918/inbox/wamid.HBgL/file", nullable = false)]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "plan.pdf", nullable = false)]
    pub file_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxFile)]
pub struct InboxFile {
    /// `image`, `video`, `audio`, `document` or `sticker`.
    #[serde(rename = "type")]
    #[schema(example = "document")]
    pub kind: String,
    /// The file's path on this server.
    #[schema(example = "/api/ext/v3/sandbox/people/US.13491208655302741918/inbox/wamid.HBgL/file")]
    pub url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "plan.pdf", nullable = false)]
    pub file_name: Option<String>,
}

impl Inbox {
    /// Replaces the addresses of files, for callers that reach this server's operations under other paths.
    pub fn map_file_urls(&mut self, new: impl Fn(&str) -> Option<String>) {
        for message in &mut self.messages {
            let header = message.header.as_mut().and_then(|header| header.url.as_mut());
            for url in header.into_iter().chain(message.media.as_mut().map(|media| &mut media.url)) {
                if let Some(other) = new(url) {
                    *url = other;
                }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxButton)]
pub struct InboxButton {
    #[schema(example = "Track it")]
    pub text: String,
    #[serde(rename = "type")]
    #[schema(example = "url")]
    pub kind: String,
    /// The link that the button opens, with its variables filled in.
    #[schema(example = "https://shop.example.com/orders/42")]
    pub url: Option<String>,
}

impl From<&Button> for InboxButton {
    fn from(button: &Button) -> Self {
        let Button { text, kind, url, .. } = button.clone();
        Self { text, kind, url }
    }
}

impl InboxHeader {
    fn new(view: &PhoneMessageView, file: Option<FileReference>, url: &str) -> Option<Self> {
        let none = Self { kind: String::new(), text: None, url: None, file_name: None };
        if let Some(file) = file {
            let kind = file.kind.to_owned();
            return Some(Self { kind, url: Some(url.to_owned()), file_name: file.name, ..none });
        }
        if let Some(place) = files::header_location(&view.content) {
            return Some(Self { kind: "location".to_owned(), text: Some(place), ..none });
        }
        view.header.clone().map(|text| Self { kind: "text".to_owned(), text: Some(text), ..none })
    }
}

impl InboxMessage {
    fn new(person: &Person, channel: &Channel, message: &Message, now: Timestamp) -> Self {
        let view = PhoneMessageView::from_message(message);
        let url = files::url(person, &message.id);
        let (media, file) = match FileReference::from_content(&message.kind, &view.content) {
            Some(file) if file.is_header => (None, Some(file)),
            Some(file) => {
                (Some(InboxFile { kind: file.kind.to_owned(), url: url.clone(), file_name: file.name }), None)
            }
            None => (None, None),
        };
        Self {
            id: message.id.clone(),
            from: channel.phone_number.clone(),
            buttons: view.buttons.iter().map(InboxButton::from).collect(),
            header: InboxHeader::new(&view, file, &url),
            media,
            body: view.body.unwrap_or_else(|| view.text.clone()),
            footer: view.footer,
            text: view.text,
            received_at: message.received_at.unwrap_or(message.at),
            read_at: message.read_at.filter(|at| *at <= now),
        }
    }
}

#[boxed::futures]
impl Sandbox {
    pub async fn inbox(&self, tenant: TenantId, person: &str, limit: i64) -> Result<Inbox> {
        if !(1..=MOST).contains(&limit) {
            return Err(Error::invalid(Field::Limit, format!("expected 1 to {MOST}")));
        }
        let person = self.find(tenant, person).await?;
        let now = self.now();
        let newest = self.received(tenant, &person, limit).await?;
        let view = newest.iter().rev().map(|(channel, message)| InboxMessage::new(&person, channel, message, now));
        let said = self.said(tenant, &person, limit).await?;
        Ok(Inbox { messages: view.collect(), said: said.iter().rev().map(SaidMessage::from).collect() })
    }

    /// The last `limit` messages that the person wrote over all channels, newest first.
    async fn said(&self, tenant: TenantId, person: &Person, limit: i64) -> Result<Vec<Message>> {
        let mut all = Vec::new();
        for channel in self.sandbox_channels(tenant).await? {
            all.extend(messages::said(self.db(), tenant, channel.id, person.position, limit).await?);
        }
        all.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
        all.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(all)
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
