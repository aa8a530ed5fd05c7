//! Stores the bytes of a file while they arrive, in pieces of 256 KiB.
//!
//! The row of the file is marked as incomplete until the last byte is stored, and it is inserted before any byte is
//! written outside the database. A writer that is dropped removes what it stored; after a crash the sweep does, a day
//! later (`sweep.rs`). A received file becomes complete, counts against its tenant's quota, is attached to its message
//! and ends its fetch in one transaction.

use domain::messaging::messages::FileStore;
use domain::{Id, MediaId, TenantId};
use sha2::{Digest as _, Sha256};
use store::Tx;
use store::messaging::media::MediaRow;
use store::messaging::media::fetches::ClaimedFetch;

use super::pieces::PIECE_BYTES;
use super::storage::{Sink, StorageError};
use super::sweep;
use crate::messaging::Messaging;

/// Why a file was not stored.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error("the file was removed in the meantime")]
    Removed,
    /// Another attempt has stored the file, or the message was erased.
    #[error("the message no longer needs the file")]
    Unwanted,
    #[error("the tenant's quota for received files is full")]
    QuotaFull,
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl store::Failure for WriteError {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

/// The fetch that a received file belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Receipt {
    pub claimed: ClaimedFetch,
    /// The tenant's quota in bytes.
    pub quota: u64,
}

/// A file that is being stored. If it is dropped before `finish`, it removes what it stored.
pub(super) struct ByteWriter {
    messaging: Messaging,
    tenant: TenantId,
    pub id: MediaId,
    /// None until the first piece is written.
    sink: Option<Sink>,
    /// The bytes after the last written piece.
    pub rest: Vec<u8>,
    pub size: u64,
    hash: Sha256,
    /// The number of written pieces.
    place: i64,
    /// Whether something is stored that must be removed if the file is not finished.
    begun: bool,
}

impl ByteWriter {
    pub fn new(messaging: &Messaging, tenant: TenantId) -> Self {
        let (messaging, id) = (messaging.clone(), Id::new(messaging.now()));
        let (rest, hash) = (Vec::new(), Sha256::new());
        Self { messaging, tenant, id, sink: None, rest, size: 0, hash, place: 0, begun: false }
    }

    /// Where this file is stored; none for the database.
    pub fn store(&self) -> Option<FileStore> {
        Some(self.messaging.media_policy().store).filter(|store| *store != FileStore::Database)
    }

    /// Takes bytes up to the end of the present piece, and returns the rest.
    pub fn take<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let (now, later) = bytes.split_at(bytes.len().min(PIECE_BYTES - self.rest.len()));
        self.rest.extend_from_slice(now);
        self.hash.update(now);
        self.size += now.len() as u64;
        later
    }

    /// Whether the present piece must be written before more bytes can be taken.
    pub fn is_full(&self) -> bool {
        self.rest.len() == PIECE_BYTES
    }

    /// The hash of all bytes that were taken.
    pub fn sha256(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    /// Writes the present piece. With the first piece, `row` is inserted as the incomplete row of the file.
    pub async fn write_piece(&mut self, row: MediaRow) -> Result<(), WriteError> {
        let first = (self.place == 0).then_some(row);
        let place = self.place;
        self.place += 1;
        let piece = std::mem::replace(&mut self.rest, Vec::with_capacity(PIECE_BYTES));
        if self.store().is_none() {
            self.begun = true;
            return self.insert_piece(first, place, piece).await;
        }
        if let Some(row) = first {
            self.open(row).await?;
        }
        self.write_outside(piece).await
    }

    async fn insert_piece(&self, first: Option<MediaRow>, place: i64, piece: Vec<u8>) -> Result<(), WriteError> {
        let input = (self.messaging.clone(), self.tenant, self.id, place, piece, first);
        let write = self.messaging.db().write(input, |tx, (messaging, tenant, id, place, piece, first)| {
            Box::pin(async move {
                if let Some(file) = first {
                    store::messaging::media::insert(tx, *tenant, file).await?;
                }
                let _turn = messaging.piece_turn().await;
                store::messaging::media::add_piece(tx, *tenant, *id, *place, piece).await
            })
        });
        Ok(write.await?)
    }

    /// Inserts the row, then opens the folder's file or the bucket's object.
    async fn open(&mut self, row: MediaRow) -> Result<(), WriteError> {
        self.begun = true;
        let input = (self.tenant, row);
        let write = self
            .messaging
            .db()
            .write(input, |tx, (tenant, row)| Box::pin(store::messaging::media::insert(tx, *tenant, row)));
        write.await?;
        self.sink = Some(self.messaging.media_policy().open_sink(self.tenant, self.id).await?);
        Ok(())
    }

    async fn write_outside(&mut self, piece: Vec<u8>) -> Result<(), WriteError> {
        match &mut self.sink {
            Some(sink) => Ok(sink.write(piece).await?),
            None => Ok(()),
        }
    }

    /// Stores the last piece and marks the file as complete. A small file in the database is written in one
    /// transaction.
    pub async fn finish(&mut self, row: MediaRow, receipt: Option<Receipt>) -> Result<(), WriteError> {
        let row = MediaRow { sha256: Some(self.sha256()), complete: true, ..row };
        let mut last = std::mem::take(&mut self.rest);
        if self.store().is_some() {
            if self.place == 0 {
                self.open(MediaRow { complete: false, ..row.clone() }).await?;
                self.place = 1;
            }
            self.write_outside(std::mem::take(&mut last)).await?;
            if let Some(sink) = &mut self.sink {
                sink.finish().await?;
            }
        }
        let input = (self.messaging.clone(), self.tenant, row, self.place, last, receipt);
        let write = self.messaging.db().write(input, |tx, (messaging, tenant, row, place, last, receipt)| {
            Box::pin(async move {
                if !last.is_empty() {
                    let _turn = messaging.piece_turn().await;
                    store::messaging::media::add_piece(tx, *tenant, row.id, *place, last).await?;
                }
                complete(tx, *tenant, row, *place == 0, receipt.as_ref()).await
            })
        });
        write.await?;
        self.begun = false;
        Ok(())
    }

    /// Removes what is stored of an unfinished file.
    pub async fn give_up(&mut self) -> crate::Result<()> {
        if std::mem::take(&mut self.begun) {
            sweep::remove_unfinished(&self.messaging, self.tenant, self.id, self.store()).await?;
        }
        Ok(())
    }
}

async fn complete(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    row: &MediaRow,
    is_new: bool,
    receipt: Option<&Receipt>,
) -> Result<(), WriteError> {
    if is_new {
        store::messaging::media::insert(tx, tenant, row).await?;
    } else if !store::messaging::media::complete(tx, tenant, row).await? {
        return Err(WriteError::Removed);
    }
    let Some(Receipt { claimed, quota }) = receipt else { return Ok(()) };
    let quota = i64::try_from(*quota).unwrap_or(i64::MAX);
    if !store::messaging::media::usage::add(tx, tenant, row.size, quota).await? {
        return Err(WriteError::QuotaFull);
    }
    let wanted = store::messaging::media::fetches::done(tx, claimed).await?
        && store::messaging::media::attach(tx, tenant, claimed.message, row.id).await?;
    if wanted { Ok(()) } else { Err(WriteError::Unwanted) }
}

impl Drop for ByteWriter {
    fn drop(&mut self) {
        if !self.begun {
            return;
        }
        // The request was cancelled. If this task does not run, the sweep removes the file.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (messaging, tenant, id, store) = (self.messaging.clone(), self.tenant, self.id, self.store());
            runtime.spawn(async move { sweep::remove_unfinished(&messaging, tenant, id, store).await });
        }
    }
}
