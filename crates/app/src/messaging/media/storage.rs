//! The bytes of one file: written to a folder or a bucket, and read from wherever they are.

use std::pin::Pin;

use bytes::Bytes;
use channels::transport::BoxError;
use domain::messaging::messages::FileStore;
use futures_util::Stream;

use super::bucket::BucketWriter;
use super::folder::FolderWriter;

/// Why bytes outside the database cannot be written, read or deleted.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    #[error("error in the media folder: {0}")]
    Folder(std::io::Error),
    #[error("error in the media bucket: {0}")]
    Bucket(#[source] BoxError),
    #[error("the file is in {0}, which is not configured on this server")]
    NotConfigured(FileStore),
}

pub type FileStream = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

/// Where the bytes of one file are written.
#[derive(Debug)]
pub(super) enum Sink {
    /// Pieces are rows, which `ByteWriter` inserts; the sink writes nothing.
    Database,
    Folder(FolderWriter),
    Bucket(BucketWriter),
}

impl Sink {
    /// Writes a piece outside the database; does nothing for the database.
    pub async fn write(&mut self, piece: Vec<u8>) -> Result<(), StorageError> {
        match self {
            Self::Database => Ok(()),
            Self::Folder(file) => file.write(piece).await.map_err(StorageError::Folder),
            Self::Bucket(object) => object.write(piece).await.map_err(|error| StorageError::Bucket(error.into())),
        }
    }

    pub async fn finish(&mut self) -> Result<(), StorageError> {
        match self {
            Self::Database => Ok(()),
            Self::Folder(file) => file.finish().await.map_err(StorageError::Folder),
            Self::Bucket(object) => object.finish().await.map_err(|error| StorageError::Bucket(error.into())),
        }
    }
}
