//! Where the bytes of files are stored: in the database, in a folder or in a bucket. The setting `media.store` says
//! where new files go; a file stays where it was written, and is read from there.

use std::path::PathBuf;

use channels::transport::BoxError;
use domain::messaging::messages::FileStore;
use domain::{MediaId, TenantId};
use futures_util::stream::once;
use futures_util::{StreamExt as _, TryStreamExt as _};
use store::Db;
use store::messaging::media::MediaRow;

use super::bucket::Bucket;
use super::folder::{self, FolderWriter};
use super::pieces;
use super::storage::{FileStream, Sink, StorageError};

/// Most bytes of received files of a tenant, unless the settings or the tenant's own limit say otherwise: 10 GiB.
pub const DEFAULT_QUOTA: u64 = 10 << 30;

/// Where files are stored, and how much of the files that people send is kept.
#[derive(Debug, Clone)]
pub struct MediaPolicy {
    /// Where new files go.
    pub store: FileStore,
    pub folder: Option<PathBuf>,
    pub bucket: Option<Bucket>,
    /// Most bytes of received files of one tenant.
    pub quota: u64,
    /// Days that received files are kept; 0: without end.
    pub keep_days: u32,
}

impl Default for MediaPolicy {
    fn default() -> Self {
        Self { store: FileStore::Database, folder: None, bucket: None, quota: DEFAULT_QUOTA, keep_days: 0 }
    }
}

impl MediaPolicy {
    pub(super) async fn open_sink(&self, tenant: TenantId, id: MediaId) -> Result<Sink, StorageError> {
        match self.store {
            FileStore::Database => Ok(Sink::Database),
            FileStore::Folder => {
                let file = FolderWriter::create(self.folder()?, tenant, id).await;
                Ok(Sink::Folder(file.map_err(StorageError::Folder)?))
            }
            FileStore::S3 => Ok(Sink::Bucket(self.bucket()?.writer(tenant, id))),
        }
    }

    fn folder(&self) -> Result<&PathBuf, StorageError> {
        self.folder.as_ref().ok_or(StorageError::NotConfigured(FileStore::Folder))
    }

    fn bucket(&self) -> Result<&Bucket, StorageError> {
        self.bucket.as_ref().ok_or(StorageError::NotConfigured(FileStore::S3))
    }

    /// Deletes the bytes of a file outside the database. Succeeds if there are none.
    pub(super) async fn delete(&self, store: FileStore, tenant: TenantId, id: MediaId) -> Result<(), StorageError> {
        match store {
            FileStore::Database => Ok(()),
            FileStore::Folder => folder::delete(self.folder()?, tenant, id).await.map_err(StorageError::Folder),
            FileStore::S3 => {
                let deleted = self.bucket()?.delete(tenant, id).await;
                deleted.map_err(|error| StorageError::Bucket(error.into()))
            }
        }
    }

    /// The bytes of a stored file, one piece at a time.
    pub(super) fn read(&self, db: &Db, tenant: TenantId, file: &MediaRow) -> FileStream {
        let opened = match file.place() {
            FileStore::Database => {
                return Box::pin(pieces::stream(db.clone(), tenant, file.id).map_err(BoxError::from));
            }
            FileStore::Folder => {
                self.folder().map(|folder| folder::stream(folder, tenant, file.id).map_err(BoxError::from).boxed())
            }
            FileStore::S3 => self.bucket().map(|bucket| bucket.stream(tenant, file.id).map_err(BoxError::from).boxed()),
        };
        opened.unwrap_or_else(|error| Box::pin(once(async move { Err(BoxError::from(error)) })))
    }
}
