//! Files as the network keeps them: a record of kind `media` by id, and the bytes in pieces.

use bytes::Bytes;
use domain::{Id, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use store::Tx;
use store::sandbox::media as pieces;
use store::sandbox::records::{self as rows, Kind};

use super::{Sandbox, records};

/// Files are stored in pieces of this size.
pub const PIECE: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    pub id: String,
    pub channel: Id,
    pub mime_type: String,
    pub sha256: [u8; 32],
    pub file_size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    pub created_at: Timestamp,
}

impl Media {
    /// As the answer to a look-up says it.
    pub fn sha256_hex(&self) -> String {
        self.sha256.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    pub async fn find(tx: &mut Tx<'_>, tenant: TenantId, id: &str) -> store::Result<Option<Self>> {
        records::read(tx, tenant, Kind::Media, id).await
    }

    pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: &str) -> store::Result<bool> {
        pieces::drop_pieces(tx, tenant, id).await?;
        rows::delete(tx, tenant, Kind::Media, id).await
    }
}

/// A file that arrives bit by bit. It is there for others when `finish` has been called.
#[derive(Debug)]
pub struct Writer {
    sandbox: Sandbox,
    tenant: TenantId,
    pub id: String,
    waiting: Vec<u8>,
    place: i64,
    hash: Sha256,
    pub size: u64,
}

impl Writer {
    pub fn new(sandbox: &Sandbox, tenant: TenantId) -> Self {
        let id = sandbox.ids().media();
        let sandbox = sandbox.clone();
        Self { sandbox, tenant, id, waiting: Vec::new(), place: 0, hash: Sha256::new(), size: 0 }
    }

    pub async fn add(&mut self, bytes: &[u8]) -> store::Result<()> {
        self.hash.update(bytes);
        self.size = self.size.saturating_add(bytes.len() as u64);
        self.waiting.extend_from_slice(bytes);
        while self.waiting.len() >= PIECE {
            let rest = self.waiting.split_off(PIECE);
            let piece = std::mem::replace(&mut self.waiting, rest);
            self.put(piece).await?;
        }
        Ok(())
    }

    async fn put(&mut self, piece: Vec<u8>) -> store::Result<()> {
        let input = (self.tenant, self.id.clone(), self.place, piece);
        let write = self
            .sandbox
            .db()
            .write(input, |tx, (tenant, id, place, piece)| Box::pin(pieces::add_piece(tx, *tenant, id, *place, piece)));
        self.place += 1;
        write.await
    }

    pub async fn finish(mut self, channel: Id, mime_type: &str, filename: Option<String>) -> store::Result<Media> {
        if !self.waiting.is_empty() {
            let last = std::mem::take(&mut self.waiting);
            self.put(last).await?;
        }
        let media = Media {
            id: self.id,
            channel,
            mime_type: mime_type.to_owned(),
            sha256: self.hash.finalize().into(),
            file_size: self.size,
            filename,
            created_at: self.sandbox.now(),
        };
        let input = (self.tenant, media.clone());
        let write = self.sandbox.db().write(input, |tx, (tenant, media)| {
            Box::pin(records::write(tx, *tenant, Kind::Media, &media.id, media, media.created_at))
        });
        write.await.map(|()| media)
    }

    /// What came so far is thrown away.
    pub async fn give_up(self) -> store::Result<()> {
        let input = (self.tenant, self.id);
        self.sandbox.db().write(input, |tx, (tenant, id)| Box::pin(pieces::drop_pieces(tx, *tenant, id))).await
    }
}

impl Sandbox {
    /// A file that a person sends.
    pub async fn add_media(
        &self,
        tenant: TenantId,
        channel: Id,
        mime_type: &str,
        bytes: &Bytes,
    ) -> store::Result<Media> {
        let mut writer = Writer::new(self, tenant);
        writer.add(bytes).await?;
        writer.finish(channel, mime_type, None).await
    }
}
