//! An outgoing message: recipient and content, serialized as the network's JSON. Types rule out combinations that the
//! network refuses; values are not checked.

use serde::Serialize;
use serde::ser::Serializer;

use super::attachment::{Document, Location, MediaRef};
use super::card::Card;
use super::interactive::Interactive;
use super::tagged::serialize_tagged;
use super::template::Template;

/// A message to send.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    pub recipient: Recipient,
    pub content: Content,
    /// The network's id of the message that this one replies to.
    pub reply_to: Option<String>,
    /// Returned by the network with every report about this message.
    pub callback_data: Option<String>,
}

/// The network takes a phone number in `to` and a BSUID in `recipient`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Recipient {
    #[serde(rename = "to")]
    Phone(String),
    #[serde(rename = "recipient")]
    Bsuid(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text(Text),
    Image(Captioned),
    Video(Captioned),
    Audio(MediaRef),
    Document(Document),
    Sticker(MediaRef),
    Location(Location),
    Contacts(Vec<Card>),
    Reaction(Reaction),
    Interactive(Box<Interactive>),
    Template(Box<Template>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Text {
    pub body: String,
    pub preview_url: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Captioned {
    #[serde(flatten)]
    pub source: MediaRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// An empty emoji removes the reaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reaction {
    pub message_id: String,
    pub emoji: String,
}

impl Content {
    pub fn text(body: impl Into<String>) -> Self {
        Self::Text(Text { body: body.into(), preview_url: false })
    }

    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::Video(_) => "video",
            Self::Audio(_) => "audio",
            Self::Document(_) => "document",
            Self::Sticker(_) => "sticker",
            Self::Location(_) => "location",
            Self::Contacts(_) => "contacts",
            Self::Reaction(_) => "reaction",
            Self::Interactive(_) => "interactive",
            Self::Template(_) => "template",
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = self.kind();
        match self {
            Self::Text(value) => serialize_tagged(serializer, kind, value),
            Self::Image(value) | Self::Video(value) => serialize_tagged(serializer, kind, value),
            Self::Audio(value) | Self::Sticker(value) => serialize_tagged(serializer, kind, value),
            Self::Document(value) => serialize_tagged(serializer, kind, value),
            Self::Location(value) => serialize_tagged(serializer, kind, value),
            Self::Contacts(value) => serialize_tagged(serializer, kind, value),
            Self::Reaction(value) => serialize_tagged(serializer, kind, value),
            Self::Interactive(value) => serialize_tagged(serializer, kind, value),
            Self::Template(value) => serialize_tagged(serializer, kind, value),
        }
    }
}

impl Serialize for Outgoing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Wire<'a> {
            messaging_product: &'static str,
            recipient_type: &'static str,
            #[serde(flatten)]
            recipient: &'a Recipient,
            #[serde(skip_serializing_if = "Option::is_none")]
            context: Option<Context<'a>>,
            #[serde(flatten)]
            content: &'a Content,
            #[serde(skip_serializing_if = "Option::is_none")]
            biz_opaque_callback_data: Option<&'a str>,
        }
        #[derive(Serialize)]
        struct Context<'a> {
            message_id: &'a str,
        }
        let wire = Wire {
            messaging_product: "whatsapp",
            recipient_type: "individual",
            recipient: &self.recipient,
            context: self.reply_to.as_deref().map(|message_id| Context { message_id }),
            content: &self.content,
            biz_opaque_callback_data: self.callback_data.as_deref(),
        };
        wire.serialize(serializer)
    }
}
