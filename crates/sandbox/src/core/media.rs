//! Stored files: a record of kind `media`, and the bytes in pieces.

use bytes::Bytes;
use channels::transport::BoxError;
use domain::base::hex;
use domain::{ChannelId, TenantId, Timestamp};
use futures_util::{Stream, stream};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use store::platform::sandbox::due::{self, Due};
use store::platform::sandbox::records::Kind;
use store::platform::sandbox::{self, media};
use store::{Db, Tx};

use super::act::Act;
use super::change::row;
use super::{Sandbox, records};

/// Files are stored in pieces of this size.
pub const PIECE: usize = 256 * 1024;
/// An upload that is not finished after this time is deleted.
const UNFINISHED_SECONDS: i64 = 86_400;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    pub id: String,
    pub channel: ChannelId,
    pub mime_type: String,
    pub sha256: [u8; 32],
    pub file_size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    pub created_at: Timestamp,
    /// A person sent the file; false: the business uploaded it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub received: bool,
}

/// How long the network keeps a file that a business uploaded, and one that a person sent.
const UPLOADED_SECONDS: i64 = 30 * 86_400;
const RECEIVED_SECONDS: i64 = 7 * 86_400;

#[boxed::futures]
impl Media {
    /// As the answer to a look-up of the file spells it.
    pub fn sha256_hex(&self) -> String {
        hex::encode(self.sha256)
    }

    /// Whether the file is older than the network would keep it.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        let kept = if self.received { RECEIVED_SECONDS } else { UPLOADED_SECONDS };
        self.created_at.plus_seconds(kept) <= now
    }

    pub async fn find(tx: &mut Tx<'_>, tenant: TenantId, id: &str) -> store::Result<Option<Self>> {
        records::read(tx, tenant, Kind::Media, id).await
    }

    pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: &str) -> store::Result<bool> {
        media::drop_pieces(tx, tenant, id).await?;
        sandbox::records::delete(tx, tenant, Kind::Media, id).await
    }

    /// Deletes the pieces of an upload that was never finished; leaves a finished file alone.
    pub(crate) async fn sweep(tx: &mut Tx<'_>, tenant: TenantId, id: &str) -> store::Result<()> {
        match sandbox::records::get_in(tx, tenant, Kind::Media, id).await? {
            None => media::drop_pieces(tx, tenant, id).await,
            Some(_) => Ok(()),
        }
    }
}

/// Stores a file in pieces as its bytes arrive. Look-ups find the file after `finish`.
#[derive(Debug)]
pub struct Writer {
    sandbox: Sandbox,
    tenant: TenantId,
    channel: ChannelId,
    began: Timestamp,
    pub id: String,
    /// A person sends the file; false: the business uploads it.
    received: bool,
    waiting: Vec<u8>,
    /// Number of stored pieces.
    index: i64,
    hash: Sha256,
    pub size: u64,
}

#[boxed::futures]
impl Writer {
    pub fn new(sandbox: &Sandbox, tenant: TenantId, channel: ChannelId) -> Self {
        let (id, began) = (sandbox.ids().media(), sandbox.now());
        let (sandbox, waiting, hash) = (sandbox.clone(), Vec::new(), Sha256::new());
        Self { sandbox, tenant, channel, began, id, received: false, waiting, index: 0, hash, size: 0 }
    }

    /// The row that schedules the deletion of the pieces. It is stored with the first piece and removed by `finish`, so
    /// the pieces of an upload that breaks off are deleted after a day.
    fn sweep(&self) -> Due {
        let act = Act::Sweep { media: self.id.clone() };
        let at = self.began.plus_seconds(UNFINISHED_SECONDS);
        row(self.tenant, self.channel, at, format!("media:{}", self.id), act.to_change())
    }

    pub async fn add(&mut self, bytes: &[u8]) -> store::Result<()> {
        self.hash.update(bytes);
        self.size = self.size.saturating_add(bytes.len() as u64);
        self.waiting.extend_from_slice(bytes);
        while self.waiting.len() >= PIECE {
            let rest = self.waiting.split_off(PIECE);
            let piece = std::mem::replace(&mut self.waiting, rest);
            self.write_piece(piece).await?;
        }
        Ok(())
    }

    async fn write_piece(&mut self, piece: Vec<u8>) -> store::Result<()> {
        let first = (self.index == 0).then(|| self.sweep());
        let input = (self.tenant, self.id.clone(), self.index, piece, first);
        let write = self.sandbox.db().write(input, |tx, (tenant, id, index, piece, first)| {
            Box::pin(async move {
                due::insert_many(tx, first.as_slice()).await?;
                media::add_piece(tx, *tenant, id, *index, piece).await
            })
        });
        self.index += 1;
        write.await
    }

    /// Stores the last piece and the file's record, and removes the scheduled deletion, in one transaction.
    pub async fn finish(self, mime_type: &str, filename: Option<String>) -> store::Result<Media> {
        let sweep = self.sweep();
        let media = Media {
            id: self.id,
            channel: self.channel,
            mime_type: mime_type.to_owned(),
            sha256: self.hash.finalize().into(),
            file_size: self.size,
            filename,
            created_at: self.sandbox.now(),
            received: self.received,
        };
        let input = (self.tenant, media.clone(), self.index, self.waiting, sweep);
        let write = self.sandbox.db().write(input, |tx, (tenant, media, index, last, sweep)| {
            Box::pin(async move {
                if !last.is_empty() {
                    media::add_piece(tx, *tenant, &media.id, *index, last).await?;
                }
                due::delete(tx, sweep).await?;
                records::write(tx, *tenant, Kind::Media, &media.id, media, media.created_at).await
            })
        });
        write.await.map(|()| media)
    }

    /// Deletes the pieces stored so far and their scheduled deletion.
    pub async fn give_up(self) -> store::Result<()> {
        if self.index == 0 {
            return Ok(());
        }
        let input = (self.tenant, self.sweep(), self.id);
        let write = self.sandbox.db().write(input, |tx, (tenant, sweep, id)| {
            Box::pin(async move {
                due::delete(tx, sweep).await?;
                media::drop_pieces(tx, *tenant, id).await
            })
        });
        write.await
    }
}

/// The bytes of a file, each piece read when the client is ready for it.
pub fn content(db: &Db, tenant: TenantId, id: &str) -> impl Stream<Item = Result<Bytes, BoxError>> + Send + use<> {
    stream::try_unfold((db.clone(), id.to_owned(), 0_i64), move |(db, id, index)| async move {
        let piece = media::piece(&db, tenant, &id, index).await?;
        Ok::<_, BoxError>(piece.map(|piece| (Bytes::from(piece), (db, id, index + 1))))
    })
}

#[boxed::futures]
impl Sandbox {
    /// Stores a file that a person sends.
    pub async fn add_media(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        mime_type: &str,
        bytes: &Bytes,
    ) -> store::Result<Media> {
        let mut writer = Writer { received: true, ..Writer::new(self, tenant, channel) };
        writer.add(bytes).await?;
        writer.finish(mime_type, None).await
    }
}
