//! Stores a file while it arrives.
//!
//! The type is decided as early as possible, and a file that is refused or not received completely leaves nothing
//! behind: its row is incomplete until the last piece is stored, a dropped writer removes it, and after a crash the
//! sweep does, a day later (`sweep.rs`).

use bytes::Bytes;
use domain::messages::files::{BEGINNING, FileFlaw, FileType, MAX_FILE, shown_name};
use domain::{Id, MediaId, TenantId};
use futures_util::{Stream, StreamExt as _};

use super::{Media, PIECE_BYTES, StoredFile, file_name, sweep};
use crate::{ActsFor, App, Cause, Error, Result, Thing};

/// What is known of a file before its bytes.
#[derive(Debug, Clone, Default)]
pub struct NewFile {
    /// The member that errors name.
    pub member: &'static str,
    pub name: Option<String>,
    pub mime: Option<String>,
}

impl Media<'_> {
    /// Stores a file while it arrives. A file that is larger than every limit is refused as a body that is too large.
    pub async fn receive<E>(
        &self,
        caller: &impl ActsFor,
        new: NewFile,
        stream: impl Stream<Item = Result<Bytes, E>> + Send,
    ) -> Result<StoredFile> {
        let member = new.member;
        let mut writer = FileWriter::new(self.0, caller.tenant(), new)?;
        writer.too_large = Cause::FileTooLarge;
        let broken = || Error::refused(Cause::MediaRefused, member, "the file did not arrive whole");
        writer.write_all(stream, broken).await
    }
}

/// A file that is being stored. When it is dropped before it is finished, it removes what is stored.
pub(super) struct FileWriter {
    app: App,
    tenant: TenantId,
    id: MediaId,
    new: NewFile,
    /// The type of the file; none until its name, its declared type or its first bytes show it.
    what: Option<&'static FileType>,
    rest: Vec<u8>,
    /// The number of pieces that were written; 0 again once nothing is to be removed.
    place: i64,
    size: u64,
    /// The cause of the error when the file is larger than every limit.
    too_large: Cause,
}

impl FileWriter {
    /// Refuses what the name and the declared type already rule out.
    pub fn new(app: &App, tenant: TenantId, new: NewFile) -> Result<Self> {
        let what = match FileType::of(new.mime.as_deref(), new.name.as_deref(), &[]) {
            Err(FileFlaw::Unknown) => None,
            found => Some(found.map_err(|flaw| Error::refused(Cause::MediaRefused, new.member, flaw))?),
        };
        let (app, id) = (app.clone(), Id::new(app.now()));
        Ok(Self { app, tenant, id, new, what, rest: Vec::new(), place: 0, size: 0, too_large: Cause::MediaRefused })
    }

    fn refused(&self, flaw: &FileFlaw) -> Error {
        let cause = if self.size > MAX_FILE { self.too_large } else { Cause::MediaRefused };
        Error::refused(cause, self.new.member, flaw)
    }

    /// Refuses a file that will have too many bytes.
    pub fn expect(&mut self, size: u64) -> Result<()> {
        let fits = match self.what {
            Some(what) if size > 0 => what.kind.check_size(size),
            None if size > MAX_FILE => Err(FileFlaw::TooLarge(domain::messages::files::FileKind::Document)),
            _ => Ok(()),
        };
        fits.map_err(|flaw| self.refused(&flaw))
    }

    pub async fn write_all<E>(
        mut self,
        stream: impl Stream<Item = Result<Bytes, E>> + Send,
        broken: impl FnOnce() -> Error + Send,
    ) -> Result<StoredFile> {
        let taken = self.read(stream, broken).await;
        if taken.is_err() {
            self.give_up().await?;
        }
        taken
    }

    async fn read<E>(
        &mut self,
        stream: impl Stream<Item = Result<Bytes, E>> + Send,
        broken: impl FnOnce() -> Error + Send,
    ) -> Result<StoredFile> {
        let mut stream = std::pin::pin!(stream);
        while let Some(chunk) = stream.next().await {
            let Ok(chunk) = chunk else { return Err(broken()) };
            self.add(&chunk).await?;
        }
        self.finish().await
    }

    async fn add(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.size += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE_BYTES - self.rest.len()));
            self.rest.extend_from_slice(now);
            bytes = later;
            if self.what.is_none() && self.rest.len() >= BEGINNING {
                self.what = Some(self.look()?);
            }
            self.expect(self.size)?;
            if self.rest.len() == PIECE_BYTES {
                self.store_piece().await?;
            }
        }
        Ok(())
    }

    fn look(&self) -> Result<&'static FileType> {
        let NewFile { name, mime, .. } = &self.new;
        FileType::of(mime.as_deref(), name.as_deref(), &self.rest).map_err(|flaw| self.refused(&flaw))
    }

    fn row(&self, what: &FileType, complete: bool) -> store::media::MediaRow {
        store::media::MediaRow {
            id: self.id,
            file_name: file_name(self.id, what),
            shown_name: shown_name(self.new.name.as_deref(), what.extension()),
            mime: what.mime.to_owned(),
            size: i64::try_from(self.size).unwrap_or(i64::MAX),
            complete,
            created_at: self.app.now().to_millis(),
        }
    }

    /// Inserts the row, marked as incomplete, with the first piece.
    async fn store_piece(&mut self) -> Result<()> {
        let what = self.what.map_or_else(|| self.look(), Ok)?;
        let first = (self.place == 0).then(|| self.row(what, false));
        let piece = std::mem::replace(&mut self.rest, Vec::with_capacity(PIECE_BYTES));
        let input = (self.tenant, self.id, self.place, piece, first);
        self.place += 1;
        let write = self.app.db().write(input, |tx, (tenant, id, place, piece, first)| {
            Box::pin(async move {
                if let Some(file) = first {
                    store::media::insert(tx, *tenant, file).await?;
                }
                store::media::add_piece(tx, *tenant, *id, *place, piece).await
            })
        });
        Ok(write.await?)
    }

    /// Stores the last piece and marks the file as complete. A small file is one write.
    async fn finish(&mut self) -> Result<StoredFile> {
        if self.size == 0 {
            return Err(self.refused(&FileFlaw::Empty));
        }
        let what = self.what.map_or_else(|| self.look(), Ok)?;
        what.kind.check_size(self.size).map_err(|flaw| self.refused(&flaw))?;
        let row = self.row(what, true);
        let input = (self.tenant, row.clone(), self.place, std::mem::take(&mut self.rest));
        let write = self.app.db().write(input, |tx, (tenant, row, place, last)| {
            Box::pin(async move {
                if !last.is_empty() {
                    store::media::add_piece(tx, *tenant, row.id, *place, last).await?;
                }
                if *place == 0 {
                    store::media::insert(tx, *tenant, row).await?;
                } else if !store::media::complete(tx, *tenant, row.id, row.size).await? {
                    return Err(Error::NotFound(Thing::File));
                }
                Ok(())
            })
        });
        write.await?;
        self.place = 0;
        let store::media::MediaRow { id, file_name, shown_name, .. } = row;
        Ok(StoredFile { id, file_name, shown_name, mime: what.mime, kind: what.kind, size: self.size })
    }

    /// Removes what is stored.
    async fn give_up(&mut self) -> Result<()> {
        if std::mem::take(&mut self.place) > 0 {
            sweep::remove_unused(&self.app, self.tenant, self.id).await?;
        }
        Ok(())
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        if self.place == 0 {
            return;
        }
        // The request was cancelled. If this task does not run, the sweep removes the file.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (app, tenant, id) = (self.app.clone(), self.tenant, self.id);
            runtime.spawn(async move { sweep::remove_unused(&app, tenant, id).await });
        }
    }
}
