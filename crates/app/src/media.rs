//! Files: taken in as streams, fetched from where a caller says they are, brought to the network, handed out again.
//! Bytes lie in pieces in the database, so that memory is bounded whatever the size.

mod fetch;
mod open;
mod pieces;
mod receive;
mod sweep;
mod upload;

use domain::messages::files::{Kind, Type};
use domain::{MediaId, TenantId};

use channels::graph::{Captioned, Content, Document, MediaRef};

use crate::{App, Result};

pub use open::{OpenFile, name_in_history};
pub use receive::NewFile;
pub use upload::UploadError;

const PIECE_BYTES: usize = 256 << 10;

#[derive(Debug)]
pub struct Media<'a>(&'a App);

/// A file of ours, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    pub id: MediaId,
    /// Ours, unique in its tenant.
    pub file_name: String,
    /// What people see.
    pub shown_name: String,
    pub mime: &'static str,
    pub kind: Kind,
    pub size: u64,
}

impl App {
    pub fn media(&self) -> Media<'_> {
        Media(self)
    }
}

impl Media<'_> {
    /// Takes a file away again that nothing came of. One that a message has stays.
    pub async fn discard(&self, tenant: TenantId, id: MediaId) -> Result<()> {
        sweep::remove_unused(self.0, tenant, id).await.map(drop)
    }
}

/// As a message has it. Our own id stands where the sender puts the network's. A caption is left out where the network
/// shows none (`Kind::takes_caption`).
pub fn content(file: &StoredFile, caption: Option<&str>) -> Content {
    let source = MediaRef::Id(file.id.to_string());
    let caption = caption.filter(|caption| !caption.is_empty()).map(str::to_owned);
    match file.kind {
        Kind::Image => Content::Image(Captioned { source, caption }),
        Kind::Video => Content::Video(Captioned { source, caption }),
        Kind::Audio => Content::Audio(source),
        Kind::Sticker => Content::Sticker(source),
        Kind::Document => Content::Document(Document { source, caption, filename: Some(file.shown_name.clone()) }),
    }
}

fn file_name(id: MediaId, kind: &Type) -> String {
    format!("{id}.{}", kind.extension())
}
