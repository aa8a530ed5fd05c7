//! A person sends a message: text, image, location or reaction.

use app::{Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::{Field, Place, TenantId};
use serde::Deserialize;
use serde_json::{Value, json};
use store::platform::sandbox::messages::{self, Message};

use super::{ActingPerson, Said};
use crate::notices::content::{self, File};
use crate::notices::messages::{Content, Inbound, inbound};
use crate::{Change, PhoneMessageView, Sandbox, schedule};

const LONGEST: usize = 4096;
/// Number of tries to find a free id: with a fixed seed and clock, a restarted process generates the same ids again.
const TRIES: usize = 100;

/// A PNG with one white pixel.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsAPDWQAAAABJRU5ErkJggg==";

/// Exactly one of `text`, `image`, `location` and `reaction`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Say {
    pub text: Option<String>,
    pub image: Option<Image>,
    pub location: Option<Location>,
    /// An emoji as reaction to the message `reply_to`; an empty string removes the reaction.
    pub reaction: Option<String>,
    /// The id of the message that this one replies or reacts to.
    pub reply_to: Option<String>,
    /// Id, name or number; default: the channel of `reply_to`, else the default channel.
    pub channel: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Image {
    pub caption: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    pub latitude: f64,
    pub longitude: f64,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub address: Option<String>,
}

#[boxed::futures]
impl Sandbox {
    pub async fn say(&self, tenant: TenantId, person: &str, say: Say) -> Result<Said> {
        let mut actor = self.actor(tenant, person, say.channel.as_deref()).await?;
        let answered = match &say.reply_to {
            None => None,
            Some(id) => {
                let (channel, message) = self.message(tenant, &actor.person, Field::ReplyTo, id).await?;
                if say.channel.is_some() && channel.id != actor.channel.id {
                    return Err(Error::invalid(Field::ReplyTo, "is a message on another channel"));
                }
                actor.channel = channel;
                Some(message)
            }
        };
        let (content, text) = self.content(&actor, &say).await?;
        // A reaction names the message in its content, not in the context.
        let answered = answered.filter(|_| say.reaction.is_none());
        self.send_as_person(&actor, content, text, answered.as_ref()).await
    }

    async fn content(&self, actor: &ActingPerson, say: &Say) -> Result<(Content, String)> {
        match (&say.text, &say.image, &say.location, &say.reaction) {
            (Some(text), None, None, None) => Ok((content::text(checked(Field::Text, text)?), text.clone())),
            (None, Some(image), None, None) => self.picture(actor, image).await,
            (None, None, Some(at), None) => located(at),
            (None, None, None, Some(emoji)) => reacted(say.reply_to.as_deref(), emoji),
            _ => Err(Error::invalid(Field::Text, "expected one of text, image, location and reaction")),
        }
    }

    async fn picture(&self, actor: &ActingPerson, image: &Image) -> Result<(Content, String)> {
        let caption =
            image.caption.as_deref().map(|text| checked(Field::Image.member(Field::Caption), text)).transpose()?;
        let bytes = Bytes::from(STANDARD.decode(PICTURE).unwrap_or_default());
        let media = self.add_media(actor.tenant, actor.channel.id, "image/png", &bytes).await?;
        let file = File {
            id: media.id,
            mime_type: media.mime_type,
            sha256: STANDARD.encode(media.sha256),
            caption: caption.map(str::to_owned),
            filename: None,
        };
        let text = caption.map_or_else(|| "[image]".to_owned(), |caption| format!("[image] {caption}"));
        Ok((content::media("image", &file), text))
    }

    /// Stores a message of a person and schedules its webhook.
    pub(super) async fn send_as_person(
        &self,
        actor: &ActingPerson,
        content: Content,
        text: String,
        answers: Option<&Message>,
    ) -> Result<Said> {
        for _ in 0..TRIES {
            if let Some(said) =
                self.send_as_person_with_id(self.ids().message(), actor, content.clone(), &text, answers).await?
            {
                return Ok(said);
            }
        }
        Err(Error::conflict(Field::Id, "no unused id was found; try again"))
    }

    /// The same with this id; `None`, and nothing is stored, when the id is taken.
    pub(crate) async fn send_as_person_with_id(
        &self,
        id: String,
        actor: &ActingPerson,
        content: Content,
        text: &str,
        answers: Option<&Message>,
    ) -> Result<Option<Said>> {
        let said = Said { id: id.clone(), channel_id: actor.channel.id, at: self.now() };
        let new = Inbound { id, at: said.at, content, context: answers.map(|message| context(actor, message)) };
        let change = inbound(&actor.number(), &actor.webhook_contact(), &new);
        let is_new = self.store_and_schedule(actor.tenant, stored(actor, new, text, answers), change).await?;
        Ok(is_new.then_some(said))
    }

    /// Stores the message and schedules its webhook. False when the id is taken.
    async fn store_and_schedule(&self, tenant: TenantId, message: Message, change: Change) -> Result<bool> {
        let key = self.due_key(&message.id);
        let write = self.db().write((tenant, message, change, key), |tx, (tenant, message, change, key)| {
            Box::pin(async move {
                if !messages::insert(tx, *tenant, message).await? {
                    return Ok::<_, store::Error>(false);
                }
                schedule(tx, *tenant, message.channel, message.at, key, change).await?;
                Ok(true)
            })
        });
        let new = write.await?;
        if new {
            self.wake();
        }
        Ok(new)
    }
}

fn stored(actor: &ActingPerson, new: Inbound, text: &str, answers: Option<&Message>) -> Message {
    let view = PhoneMessageView {
        text: text.to_owned(),
        content: new.content.value,
        context: answers.map(|message| message.id.clone()),
        ..PhoneMessageView::default()
    };
    Message {
        channel: actor.channel.id,
        person: actor.person.position,
        at: new.at,
        id: new.id,
        from_person: true,
        kind: new.content.kind,
        doc: view.to_doc(),
        status: "received".to_owned(),
        received_at: Some(new.at),
        read_at: None,
    }
}

/// Author and id of the message that is replied to.
fn context(actor: &ActingPerson, message: &Message) -> Value {
    let person = actor.person.phone.clone().unwrap_or_else(|| actor.person.bsuid.clone());
    let from = if message.from_person { person } else { actor.channel.phone_number.clone() };
    json!({ "from": from, "id": message.id })
}

fn checked(place: impl Into<Place>, text: &str) -> Result<&str> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > LONGEST || text.contains('\0') {
        return Err(Error::invalid(place, format!("expected 1 to {LONGEST} characters")));
    }
    Ok(text)
}

fn located(at: &Location) -> Result<(Content, String)> {
    let within = |value: f64, bound: f64| value.is_finite() && value.abs() <= bound;
    if !within(at.latitude, 90.0) {
        return Err(Error::invalid(Field::Location.member(Field::Latitude), "expected -90 to 90"));
    }
    if !within(at.longitude, 180.0) {
        return Err(Error::invalid(Field::Location.member(Field::Longitude), "expected -180 to 180"));
    }
    let name = at.name.as_deref();
    let text =
        format!("[location] {}", name.map_or_else(|| format!("{},{}", at.latitude, at.longitude), str::to_owned));
    Ok((content::location(at.latitude, at.longitude, name, at.address.as_deref()), text))
}

fn reacted(message: Option<&str>, emoji: &str) -> Result<(Content, String)> {
    let message = message.ok_or_else(|| Error::invalid(Field::ReplyTo, "a reaction needs the message it reacts to"))?;
    if emoji.chars().count() > 20 || emoji.contains('\0') {
        return Err(Error::invalid(Field::Reaction, "expected an emoji"));
    }
    let emoji = Some(emoji.trim()).filter(|emoji| !emoji.is_empty());
    Ok((content::reaction(message, emoji), emoji.unwrap_or_default().to_owned()))
}
