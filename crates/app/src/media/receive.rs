//! A file that arrives bit by bit: what it is and how large it may be is known as soon as it can be, and what is
//! refused or broken off leaves nothing behind.

use bytes::Bytes;
use domain::messages::files::{BEGINNING, Flaw, MAX_FILE, Type, shown_name};
use domain::{Id, MediaId, TenantId};
use futures_util::{Stream, StreamExt as _};

use super::{Media, PIECE_BYTES, StoredFile, file_name, sweep};
use crate::{ActsFor, App, Cause, Error, Result, Thing};

/// What is known of a file before its bytes.
#[derive(Debug, Clone, Default)]
pub struct NewFile {
    /// As errors name it.
    pub member: &'static str,
    pub name: Option<String>,
    pub mime: Option<String>,
}

impl Media<'_> {
    /// Stores a file as it arrives. One larger than any may be is refused as a body that is too large.
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

/// A file under way. Dropped before it is finished, it leaves nothing behind.
pub(super) struct FileWriter {
    app: App,
    tenant: TenantId,
    id: MediaId,
    new: NewFile,
    /// As soon as it is known.
    what: Option<&'static Type>,
    rest: Vec<u8>,
    /// How many pieces are stored.
    place: i64,
    size: u64,
    /// The cause when it is larger than any file may be.
    too_large: Cause,
}

impl FileWriter {
    /// Whatever is known to be refused already is refused here.
    pub fn new(app: &App, tenant: TenantId, new: NewFile) -> Result<Self> {
        let what = match Type::of(new.mime.as_deref(), new.name.as_deref(), &[]) {
            Err(Flaw::Unknown) => None,
            found => Some(found.map_err(|flaw| Error::refused(Cause::MediaRefused, new.member, flaw))?),
        };
        let (app, id) = (app.clone(), Id::new(app.now()));
        Ok(Self { app, tenant, id, new, what, rest: Vec::new(), place: 0, size: 0, too_large: Cause::MediaRefused })
    }

    fn refused(&self, flaw: &Flaw) -> Error {
        let cause = if self.size > MAX_FILE { self.too_large } else { Cause::MediaRefused };
        Error::refused(cause, self.new.member, flaw)
    }

    /// Will so many bytes be too many?
    pub fn expect(&mut self, size: u64) -> Result<()> {
        let fits = match self.what {
            Some(what) if size > 0 => what.kind.check_size(size),
            None if size > MAX_FILE => Err(Flaw::TooLarge(domain::messages::files::Kind::Document)),
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

    fn look(&self) -> Result<&'static Type> {
        let NewFile { name, mime, .. } = &self.new;
        Type::of(mime.as_deref(), name.as_deref(), &self.rest).map_err(|flaw| self.refused(&flaw))
    }

    fn row(&self, what: &Type, complete: bool) -> store::media::MediaRow {
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

    /// The first piece comes with the row, which is not complete yet.
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

    /// The last piece, and from here on it is there for others. A small file is one write.
    async fn finish(&mut self) -> Result<StoredFile> {
        if self.size == 0 {
            return Err(self.refused(&Flaw::Empty));
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

    /// Takes back what is stored.
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
        // The caller went away. Should this not come to pass, the sweep finds it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (app, tenant, id) = (self.app.clone(), self.tenant, self.id);
            runtime.spawn(async move { sweep::remove_unused(&app, tenant, id).await });
        }
    }
}
