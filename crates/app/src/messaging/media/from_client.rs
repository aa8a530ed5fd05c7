//! Stores a client's file while it arrives. The type is decided as early as possible, and a file that is refused or not
//! received completely leaves nothing behind (`write.rs`).

use bytes::Bytes;
use domain::messaging::messages::files::{BEGINNING, FileProblem, FileType, MAX_FILE, shown_name};
use domain::{Field, TenantId};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt as _};

use super::write::{ByteWriter, WriteError};
use super::{Media, StoredFile, file_name};
use crate::messaging::Messaging;
use crate::{ActsFor, Cause, Error, Fault, Result, Thing};

/// What is known about a file before its bytes arrive.
#[derive(Debug, Clone, Default)]
pub struct NewFile {
    pub name: Option<String>,
    pub mime: Option<String>,
}

impl Media<'_> {
    /// Stores a file while it arrives. A file that is larger than every limit is refused with the cause `FileTooLarge`.
    pub fn receive<'a, E: 'a>(
        &'a self,
        caller: &'a dyn ActsFor,
        new: NewFile,
        stream: impl Stream<Item = Result<Bytes, E>> + Send + 'a,
    ) -> BoxFuture<'a, Result<StoredFile>> {
        Box::pin(self.receive_chunks(caller, new, stream.map(Result::ok).boxed()))
    }

    async fn receive_chunks(&self, caller: &dyn ActsFor, new: NewFile, chunks: Chunks<'_>) -> Result<StoredFile> {
        let mut writer = FileWriter::new(self.0, caller.tenant(), Field::File, new)?;
        writer.too_large = Cause::FileTooLarge;
        let broken = || Error::refused(Cause::MediaRefused, Field::File, "the file was not received completely");
        writer.write_all(chunks, &broken).await
    }
}

/// The bytes of a file as they arrive; `None` when the connection broke off.
pub(super) type Chunks<'a> = BoxStream<'a, Option<Bytes>>;

/// A client's file that is being stored.
pub(super) struct FileWriter {
    messaging: Messaging,
    tenant: TenantId,
    bytes: ByteWriter,
    /// The part of the request that names the file.
    field: Field,
    new: NewFile,
    /// The type of the file; none until its name, its declared type or its first bytes show it.
    what: Option<&'static FileType>,
    /// The cause of the error when the file is larger than every limit.
    too_large: Cause,
    created_at: domain::Timestamp,
}

impl FileWriter {
    /// Refuses a file that its name or its declared type rules out.
    pub fn new(messaging: &Messaging, tenant: TenantId, field: Field, new: NewFile) -> Result<Self> {
        let what = match FileType::detect(new.mime.as_deref(), new.name.as_deref(), &[]) {
            Err(FileProblem::Unknown) => None,
            found => Some(found.map_err(|problem| Error::refused(Cause::MediaRefused, field, problem))?),
        };
        let (bytes, created_at) = (ByteWriter::new(messaging, tenant), messaging.now().to_millis());
        Ok(Self {
            messaging: messaging.clone(),
            tenant,
            bytes,
            field,
            new,
            what,
            too_large: Cause::MediaRefused,
            created_at,
        })
    }

    fn refused(&self, problem: &FileProblem) -> Error {
        self.refused_at(self.bytes.size, problem)
    }

    fn refused_at(&self, size: u64, problem: &FileProblem) -> Error {
        let cause = if size > MAX_FILE { self.too_large } else { Cause::MediaRefused };
        Error::refused(cause, self.field, problem)
    }

    /// Refuses a file of `size` bytes if that is too many for its type.
    pub fn expect(&mut self, size: u64) -> Result<()> {
        let fits = match self.what {
            Some(what) if size > 0 => what.kind.check_size(size),
            None if size > MAX_FILE => {
                Err(FileProblem::TooLarge(domain::messaging::messages::files::FileKind::Document))
            }
            _ => Ok(()),
        };
        fits.map_err(|problem| self.refused_at(size, &problem))
    }

    pub async fn write_all(mut self, chunks: Chunks<'_>, broken: &(dyn Fn() -> Error + Sync)) -> Result<StoredFile> {
        // A tenant whose uploads are at their limit is refused before the first byte is read.
        count_upload(&self.messaging, self.tenant, 0).await?;
        let taken = self.read(chunks, broken).await;
        if taken.is_err() {
            self.bytes.give_up().await?;
        }
        taken
    }

    async fn read(&mut self, mut chunks: Chunks<'_>, broken: &(dyn Fn() -> Error + Sync)) -> Result<StoredFile> {
        while let Some(chunk) = chunks.next().await {
            let Some(chunk) = chunk else { return Err(broken()) };
            self.add(&chunk).await?;
        }
        self.finish().await
    }

    async fn add(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            bytes = self.bytes.take(bytes);
            if self.what.is_none() && self.bytes.rest.len() >= BEGINNING {
                self.what = Some(self.look()?);
            }
            self.expect(self.bytes.size + bytes.len() as u64)?;
            if self.bytes.is_full() {
                let row = self.row(self.what.map_or_else(|| self.look(), Ok)?);
                self.bytes.write_piece(row).await.map_err(failed)?;
            }
        }
        Ok(())
    }

    fn look(&self) -> Result<&'static FileType> {
        let NewFile { name, mime } = &self.new;
        FileType::detect(mime.as_deref(), name.as_deref(), &self.bytes.rest).map_err(|problem| self.refused(&problem))
    }

    /// The row of the file, marked as incomplete.
    fn row(&self, what: &FileType) -> store::messaging::media::MediaRow {
        store::messaging::media::MediaRow {
            id: self.bytes.id,
            file_name: file_name(self.bytes.id, what),
            shown_name: shown_name(self.new.name.as_deref(), what.extension()),
            mime: what.mime.to_owned(),
            size: i64::try_from(self.bytes.size).unwrap_or(i64::MAX),
            complete: false,
            created_at: self.created_at,
            store: self.bytes.store(),
            sha256: None,
            message_id: None,
            removed_at: None,
        }
    }

    /// Stores the last piece and marks the file as complete.
    async fn finish(&mut self) -> Result<StoredFile> {
        if self.bytes.size == 0 {
            return Err(self.refused(&FileProblem::Empty));
        }
        let what = self.what.map_or_else(|| self.look(), Ok)?;
        what.kind.check_size(self.bytes.size).map_err(|problem| self.refused(&problem))?;
        count_upload(&self.messaging, self.tenant, self.bytes.size).await?;
        let row = self.row(what);
        self.bytes.finish(row.clone(), None).await.map_err(failed)?;
        let store::messaging::media::MediaRow { id, file_name, shown_name, .. } = row;
        Ok(StoredFile { id, file_name, shown_name, mime: what.mime, kind: what.kind, size: self.bytes.size })
    }
}

async fn count_upload(messaging: &Messaging, tenant: TenantId, size: u64) -> Result<()> {
    messaging.uploaded_bytes().count_upload(messaging.db(), messaging.quotas().media_bytes, tenant, size).await
}

fn failed(error: WriteError) -> Error {
    match error {
        WriteError::Store(error) => error.into(),
        WriteError::Storage(error) => {
            tracing::error!(%error, "a file cannot be stored");
            Fault::FileStore.into()
        }
        WriteError::Removed | WriteError::Unwanted | WriteError::QuotaFull => Error::NotFound(Thing::File),
    }
}
