//! Contents made from a message of the history: a reaction to it, and a copy of it for another person.

use channels::graph::{Content, Location, Reaction};
use domain::messaging::messages::files::FileType;
use domain::messaging::messages::{HistoryKind, Message, check_text, structured_data};
use domain::{ConversationId, Field, MessageId};
use serde_json::Value;

use super::{Messages, SessionBody};
use crate::messaging::media::{StoredFile, content};
use crate::{ActsFor, Error, Result, Thing};

#[boxed::futures]
impl Messages<'_> {
    /// Builds the reaction to a message, for the message's own conversation. An empty emoji removes the reaction. The
    /// caller has checked the emoji.
    pub async fn reaction(
        &self,
        caller: &dyn ActsFor,
        message: &str,
        emoji: &str,
    ) -> Result<(ConversationId, SessionBody)> {
        let message = self.shown(caller, message).await?;
        let conversation = message.conversation_id.ok_or_else(no_message)?;
        let unknown = || Error::invalid(Field::MessageId, "the network has not accepted this message yet");
        let message_id = message.network_id.ok_or_else(unknown)?;
        let content = Content::Reaction(Reaction { message_id, emoji: emoji.to_owned() });
        let text = Some(emoji.to_owned()).filter(|emoji| !emoji.is_empty());
        Ok((conversation, SessionBody { content, text, media_id: None }))
    }

    /// Builds a copy of a message for another person: its file with the caption, its location, or its text.
    pub async fn copy(&self, caller: &dyn ActsFor, message: &str) -> Result<SessionBody> {
        let message = self.shown(caller, message).await?;
        if let Some(file) = self.file_of(caller, &message).await? {
            let caption = message.text.filter(|_| file.kind.takes_caption());
            let content = content(&file, caption.as_deref());
            return Ok(SessionBody { content, text: caption, media_id: Some(file.id) });
        }
        if let Some(location) = location_of(&message) {
            let text = message.text;
            return Ok(SessionBody { content: Content::Location(location), text, media_id: None });
        }
        let text = message.text.filter(|text| message.kind != "reaction" && check_text(text).is_ok());
        let refused = || Error::invalid(Field::MessageId, "has neither a text nor a stored file to forward");
        text.map(SessionBody::text).ok_or_else(refused)
    }

    /// A message that the person wrote or received: no note and no ticket change.
    async fn shown(&self, caller: &dyn ActsFor, id: &str) -> Result<Message> {
        let id = id.parse::<MessageId>().map_err(|_| no_message())?;
        let found = store::messaging::messages::find(self.0.db(), caller.tenant(), id).await?;
        let found = found.filter(|one| matches!(one.event, HistoryKind::Message | HistoryKind::Broadcast));
        found.ok_or_else(no_message)
    }

    async fn file_of(&self, caller: &dyn ActsFor, message: &Message) -> Result<Option<StoredFile>> {
        let Some(id) = message.media_id.filter(|_| message.event == HistoryKind::Message) else { return Ok(None) };
        let found = store::messaging::media::find(self.0.db(), caller.tenant(), id).await?;
        let Some(row) = found.filter(store::messaging::media::MediaRow::is_readable) else { return Ok(None) };
        let Some(what) = FileType::from_mime(&row.mime) else { return Ok(None) };
        let size = u64::try_from(row.size).unwrap_or(0);
        let (file_name, shown_name) = (row.file_name, row.shown_name);
        Ok(Some(StoredFile { id: row.id, file_name, shown_name, mime: what.mime, kind: what.kind, size }))
    }
}

fn no_message() -> Error {
    Error::missing(Field::MessageId, Thing::Message)
}

fn location_of(message: &Message) -> Option<Location> {
    if message.kind != "location" {
        return None;
    }
    let data = structured_data(&message.kind, message.content.as_deref()?)?;
    // The network sends degrees as numbers; those of our own messages are strings.
    let degrees = |name: &str| match &data[name] {
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    let text = |name: &str| data[name].as_str().map(str::to_owned);
    Some(Location {
        latitude: degrees("latitude")?,
        longitude: degrees("longitude")?,
        name: text("name"),
        address: text("address"),
    })
}
