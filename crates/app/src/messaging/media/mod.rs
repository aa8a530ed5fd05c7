//! Files of messages. Files of clients are received as streams or fetched from a URL, and uploaded to the network;
//! files that people send are fetched from the network and kept. The bytes are written and read in pieces, so that
//! memory use does not grow with the size of a file.

mod bucket;
mod fetch_received;
pub mod folder;
mod from_client;
mod from_url;
mod limits;
mod open;
mod pieces;
mod policy;
mod samples;
mod storage;
mod store_received;
mod sweep;
mod upload;
mod uploaded_bytes;
mod view;
mod write;

use domain::MediaId;
use domain::messaging::messages::files::{FileKind, FileType};

use channels::graph::{Captioned, Content, Document, MediaRef};

use crate::messaging::Messaging;

pub use bucket::{Bucket, BucketAccess};
pub use from_client::NewFile;
pub use limits::{MediaLimits, MediaUsage, OwnLimits};
pub use open::{OpenFile, data_in_history, name_in_history};
pub use policy::{DEFAULT_QUOTA, MediaPolicy};
pub(crate) use samples::SampleError;
pub use storage::{FileStream, StorageError};
pub use upload::{UploadError, UploadedFile};
pub(crate) use uploaded_bytes::UploadedBytes;
pub use view::{FileState, FileView};

#[derive(Debug)]
pub struct Media<'a>(&'a Messaging);

/// A stored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    pub id: MediaId,
    /// Made by the server, unique in its tenant.
    pub file_name: String,
    /// The name that people see.
    pub shown_name: String,
    pub mime: &'static str,
    pub kind: FileKind,
    pub size: u64,
}

impl Messaging {
    pub fn media(&self) -> Media<'_> {
        Media(self)
    }
}

/// The content of a message with this file. It has our id of the file, which the sender replaces by the network's. A
/// caption is left out for kinds that have none (`FileKind::takes_caption`).
pub fn content(file: &StoredFile, caption: Option<&str>) -> Content {
    let source = MediaRef::Id(file.id.to_string());
    let caption = caption.filter(|caption| !caption.is_empty()).map(str::to_owned);
    match file.kind {
        FileKind::Image => Content::Image(Captioned { source, caption }),
        FileKind::Video => Content::Video(Captioned { source, caption }),
        FileKind::Audio => Content::Audio(source),
        FileKind::Sticker => Content::Sticker(source),
        FileKind::Document => Content::Document(Document { source, caption, filename: Some(file.shown_name.clone()) }),
    }
}

fn file_name(id: MediaId, kind: &FileType) -> String {
    format!("{id}.{}", kind.extension())
}
