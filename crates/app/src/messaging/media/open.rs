//! Opens files for reading: stored ones from their store, and received ones that are not stored from the network, as
//! long as it keeps them.

use std::fmt;

use channels::graph::{Class, GraphError};
use domain::messaging::messages::files::{ANY_TYPE, FileType, MAX_FILE, shown_name};
use domain::messaging::messages::{Message, MessageDirection, structured_data};
use domain::{Field, MediaId, MessageId, TenantId};
use http_body_util::BodyDataStream;
use serde_json::Value;

use super::Media;
use super::storage::FileStream;
use crate::{ActsFor, Cause, Error, Result, Thing};

const NO_FILE: Error = Error::NotFound(Thing::File);
/// Types of messages that consist of a file.
const FILES: [&str; 5] = ["image", "video", "audio", "document", "sticker"];

/// A file that is open for reading.
pub struct OpenFile {
    pub mime: String,
    pub name: String,
    /// None where the network does not announce the length.
    pub length: Option<u64>,
    /// The bytes. A failure while reading ends the stream with an error.
    pub body: FileStream,
}

impl fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenFile").field("mime", &self.mime).field("length", &self.length).finish_non_exhaustive()
    }
}

/// The file of a received message, as the message's content describes it.
pub(super) struct ReceivedFile {
    /// The network's id of the file.
    pub id: String,
    pub mime: Option<String>,
    pub name: Option<String>,
    /// The SHA-256 hash as the network wrote it.
    pub sha256: Option<String>,
}

#[boxed::futures]
impl Media<'_> {
    /// Opens the file of a message. A received file that is not stored comes from the network, and its fetch is
    /// requested.
    pub async fn open(&self, caller: &dyn ActsFor, message: MessageId) -> Result<OpenFile> {
        let tenant = caller.tenant();
        let message = store::messaging::messages::find(self.0.db(), tenant, message).await?.ok_or(NO_FILE)?;
        match message.media_id {
            Some(media) => {
                let file = store::messaging::media::find(self.0.db(), tenant, media).await?.ok_or(NO_FILE)?;
                self.ours(tenant, file)
            }
            None => self.received(tenant, &message).await,
        }
    }

    /// Opens a file by the name that the server made, or by the name that the history shows for the file of a message.
    pub async fn open_named(&self, caller: &dyn ActsFor, name: &str) -> Result<OpenFile> {
        if let Some(file) = store::messaging::media::by_file_name(self.0.db(), caller.tenant(), name).await? {
            return self.ours(caller.tenant(), file);
        }
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        self.open(caller, stem.parse().map_err(|_| NO_FILE)?).await
    }

    /// A stored file by its id. None where it was removed, or was not stored whole.
    pub(crate) async fn open_stored(&self, tenant: TenantId, id: MediaId) -> Result<Option<OpenFile>> {
        let file = store::messaging::media::find(self.0.db(), tenant, id)
            .await?
            .filter(store::messaging::media::MediaRow::is_readable);
        file.map(|file| self.ours(tenant, file)).transpose()
    }

    fn ours(&self, tenant: TenantId, file: store::messaging::media::MediaRow) -> Result<OpenFile> {
        if !file.is_readable() {
            return Err(NO_FILE);
        }
        let body = self.0.media_policy().read(self.0.db(), tenant, &file);
        Ok(OpenFile { mime: file.mime, name: file.shown_name, length: u64::try_from(file.size).ok(), body })
    }

    async fn received(&self, tenant: TenantId, message: &Message) -> Result<OpenFile> {
        let file = ReceivedFile::from_message(message).ok_or(NO_FILE)?;
        let opened = match self.0.channels().open(tenant, message.channel_id).await {
            Err(Error::NotFound(_)) => return Err(NO_FILE),
            opened => opened?,
        };
        let graph = self.0.channels().graph(&opened)?;
        let info = graph.media(&file.id).await.map_err(|error| not_given(&error))?;
        let download = graph.download(&info, MAX_FILE).await.map_err(|error| not_given(&error))?;
        // The network still has the file, so it can be stored too.
        self.request_missing(tenant, message).await?;
        let mime = file.mime.or(info.mime_type).or(download.mime);
        let name = file.name.unwrap_or_else(|| name_by_id(message, mime.as_deref()));
        Ok(OpenFile {
            name: shown_name(Some(&name), "bin"),
            mime: mime.unwrap_or_else(|| ANY_TYPE.to_owned()),
            length: download.length.or(info.file_size),
            body: Box::pin(BodyDataStream::new(download.body)),
        })
    }
}

/// Whether the network says that it no longer has the file.
pub(super) fn is_gone(error: &GraphError) -> bool {
    error.class == Class::Refuse && (error.code == Some(100) || error.status == Some(404))
}

/// The error for a failed download: `NO_FILE` if the network no longer has the file, otherwise that the network refused
/// it or did not answer.
fn not_given(error: &GraphError) -> Error {
    if is_gone(error) {
        return NO_FILE;
    }
    let reason = if error.class == Class::Refuse { Cause::NetworkRefused } else { Cause::NetworkUnavailable };
    Error::refused(reason, Field::File, format!("the network did not provide it: {}", error.reason))
}

impl ReceivedFile {
    /// None if the message was sent by the business, has no file, or was erased.
    pub fn from_message(message: &Message) -> Option<Self> {
        let kind = FILES.into_iter().find(|kind| *kind == message.kind)?;
        let content: Value = serde_json::from_str(message.content.as_deref()?).ok()?;
        let text = |name: &str| content[kind][name].as_str().map(str::to_owned);
        Some(Self { id: text("id")?, mime: text("mime_type"), name: text("filename"), sha256: text("sha256") })
    }
}

/// The name that the history shows for the file of a message; none for a message without a file.
pub fn name_in_history(message: &Message) -> Option<String> {
    let file = ReceivedFile::from_message(message);
    if message.media_id.is_none() && file.is_none() {
        return None;
    }
    Some(name_by_id(message, file.and_then(|file| file.mime).as_deref()))
}

/// The member `data` of a message in the history and in events: the name of its file as a string, or the structured
/// content of a received message or of a reaction.
pub fn data_in_history(message: &Message, file_name: Option<String>) -> Option<Value> {
    let is_structured = message.direction == MessageDirection::Inbound || message.kind == "reaction";
    let content = message.content.as_deref().filter(|_| is_structured);
    let structured = || structured_data(&message.kind, content?);
    file_name.or_else(|| name_in_history(message)).map(Value::String).or_else(structured)
}

pub(super) fn name_by_id(message: &Message, mime: Option<&str>) -> String {
    let usual = || match message.kind.as_str() {
        "image" => Some("jpg"),
        "sticker" => Some("webp"),
        "video" => Some("mp4"),
        _ => None,
    };
    match mime.and_then(FileType::from_mime).map(FileType::extension).or_else(usual) {
        Some(extension) => format!("{}.{extension}", message.id),
        None => message.id.to_string(),
    }
}
