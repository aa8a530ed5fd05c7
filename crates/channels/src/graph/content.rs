//! What can be sent, and to whom, in the shape of the network's JSON. Checks nothing: a member that cannot be
//! together with another is simply not there.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::card::Card;
use super::interactive::Interactive;
use super::template::Template;

/// One message on its way out.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    pub recipient: Recipient,
    pub content: Content,
    /// The network's id of the message that this one answers.
    pub reply_to: Option<String>,
    /// Comes back with every report about this message.
    pub callback_data: Option<String>,
}

/// A number goes into `to`, a business-scoped user id into `recipient`.
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

/// Media that the network already holds, or that it fetches itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaRef {
    Id(String),
    Link(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Captioned {
    #[serde(flatten)]
    pub source: MediaRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Document {
    #[serde(flatten)]
    pub source: MediaRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
}

/// Degrees go over the wire as texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Location {
    #[serde(serialize_with = "as_text")]
    pub latitude: f64,
    #[serde(serialize_with = "as_text")]
    pub longitude: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// An empty emoji takes the reaction back.
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
            Self::Text(value) => choice(serializer, kind, value),
            Self::Image(value) | Self::Video(value) => choice(serializer, kind, value),
            Self::Audio(value) | Self::Sticker(value) => choice(serializer, kind, value),
            Self::Document(value) => choice(serializer, kind, value),
            Self::Location(value) => choice(serializer, kind, value),
            Self::Contacts(value) => choice(serializer, kind, value),
            Self::Reaction(value) => choice(serializer, kind, value),
            Self::Interactive(value) => choice(serializer, kind, value),
            Self::Template(value) => choice(serializer, kind, value),
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

/// `{"type": "image", "image": …}`: how the network spells one of several.
pub(super) fn choice<S: Serializer, V: Serialize + ?Sized>(
    serializer: S,
    kind: &'static str,
    value: &V,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("type", kind)?;
    map.serialize_entry(kind, value)?;
    map.end()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn as_text<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
