//! The file of a message as the history shows it, and the request to fetch one that is not stored.

use domain::messaging::messages::{FetchFailure, Message, MessageDirection};
use domain::{MediaId, MessageId, TenantId, Timestamp};
use store::messaging::media::MediaRow;
use store::messaging::media::fetches::{self, PendingFetch};

use super::Media;
use super::open::{ReceivedFile, name_by_id};
use crate::{ActsFor, Error, Result, Thing};

/// Where the file of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    Stored,
    /// An attempt to fetch the file is due or runs.
    Pending,
    /// The file is not stored, and is fetched again only on request.
    Failed,
    /// The file is with the network, and no fetch of it is known.
    Remote,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView {
    pub state: FileState,
    pub name: String,
    pub mime: Option<String>,
    /// None where the file is not stored.
    pub size: Option<u64>,
    /// Why the last attempt to fetch the file failed.
    pub failure: Option<FetchFailure>,
    pub detail: Option<String>,
    pub next_attempt: Option<Timestamp>,
}

#[boxed::futures]
impl Media<'_> {
    /// The files of messages, in the order of the messages; none for a message without a file.
    pub(crate) async fn views(&self, tenant: TenantId, messages: &[Message]) -> Result<Vec<Option<FileView>>> {
        let stored: Vec<MediaId> = messages.iter().filter_map(|message| message.media_id).collect();
        let missing = |message: &&Message| message.media_id.is_none() && received(message).is_some();
        let missing: Vec<MessageId> = messages.iter().filter(missing).map(|message| message.id).collect();
        let stored = store::messaging::media::find_many(self.0.db(), tenant, &stored).await?;
        let missing = fetches::of_messages(self.0.db(), tenant, &missing).await?;
        let view = |message: &Message| {
            if let Some(id) = message.media_id {
                return stored.iter().find(|file| file.id == id).map(of_stored);
            }
            let fetch = missing.iter().find(|fetch| fetch.message_id == message.id);
            received(message).map(|file| of_missing(message, file, fetch))
        };
        Ok(messages.iter().map(view).collect())
    }

    /// Makes a fetch of the file of a received message due at once, even if earlier attempts failed for good. A file
    /// that is stored stays as it is.
    pub async fn request(&self, caller: &dyn ActsFor, message: MessageId) -> Result<FileView> {
        const NO_FILE: Error = Error::NotFound(Thing::File);
        let tenant = caller.tenant();
        let message = store::messaging::messages::find(self.0.db(), tenant, message).await?.ok_or(NO_FILE)?;
        if message.media_id.is_none() {
            received(&message).ok_or(NO_FILE)?;
            self.request_fetch(tenant, &message).await?;
        }
        self.views(tenant, &[message]).await?.pop().flatten().ok_or(NO_FILE)
    }

    /// Requests a fetch of the file of a received message, unless an attempt is due anyway.
    pub(super) async fn request_missing(&self, tenant: TenantId, message: &Message) -> Result<()> {
        let known = fetches::of_messages(self.0.db(), tenant, &[message.id]).await?;
        match known.first().and_then(|fetch| fetch.due_at) {
            Some(_) => Ok(()),
            None => self.request_fetch(tenant, message).await,
        }
    }

    async fn request_fetch(&self, tenant: TenantId, message: &Message) -> Result<()> {
        let input = (tenant, PendingFetch::new(message.id, message.channel_id, self.0.now()));
        let write = self.0.db().write(input, |tx, (tenant, new)| Box::pin(fetches::request(tx, *tenant, new)));
        write.await?;
        self.0.file_is_announced();
        Ok(())
    }
}

fn received(message: &Message) -> Option<ReceivedFile> {
    if message.direction == MessageDirection::Inbound { ReceivedFile::from_message(message) } else { None }
}

fn of_stored(file: &MediaRow) -> FileView {
    FileView {
        state: FileState::Stored,
        name: file.shown_name.clone(),
        mime: Some(file.mime.clone()),
        size: u64::try_from(file.size).ok(),
        failure: None,
        detail: None,
        next_attempt: None,
    }
}

fn of_missing(message: &Message, file: ReceivedFile, fetch: Option<&PendingFetch>) -> FileView {
    let name = file.name.unwrap_or_else(|| name_by_id(message, file.mime.as_deref()));
    let state = match fetch {
        None => FileState::Remote,
        Some(PendingFetch { due_at: Some(_), .. }) => FileState::Pending,
        Some(PendingFetch { due_at: None, .. }) => FileState::Failed,
    };
    FileView {
        state,
        name,
        mime: file.mime,
        size: None,
        failure: fetch.and_then(|fetch| fetch.failure),
        detail: fetch.and_then(|fetch| fetch.detail.clone()),
        next_attempt: fetch.and_then(|fetch| fetch.due_at),
    }
}
