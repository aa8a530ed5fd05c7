//! A file that arrives piece by piece, and becomes an import when it is whole.

use domain::{Id, ImportId, TenantId};
use store::imports::{Counts, Import, Status};

use super::format::Format;
use super::source::{PIECE, Sum};
use crate::contacts::Contacts;
use crate::{Actor, ActsFor, App, Result};

/// The largest file that is taken.
pub const MAX_UPLOAD: u64 = 100 << 20;

/// An upload under way. Dropped before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub struct Upload {
    app: App,
    tenant: TenantId,
    import: Import,
    rest: Vec<u8>,
    place: i64,
    sum: Sum,
    settled: bool,
}

impl Contacts<'_> {
    pub async fn begin_upload(&self, caller: &impl ActsFor, actor: &Actor, dry_run: bool) -> Result<Upload> {
        let (app, tenant) = (self.0.clone(), caller.tenant());
        let now = app.now().to_millis();
        let import = Import {
            id: Id::new(now),
            status: Status::Uploading,
            format: String::new(),
            dry_run,
            fingerprint: String::new(),
            bytes_total: 0,
            bytes_done: 0,
            counts: Counts::default(),
            header: None,
            error: None,
            actor: actor.who().to_owned(),
            holder: None,
            leased_until: now,
            started_at: now,
            finished_at: None,
        };
        let input = (tenant, import.clone());
        app.db().write(input, |tx, (tenant, import)| Box::pin(store::imports::insert(tx, *tenant, import))).await?;
        let (rest, sum) = (Vec::with_capacity(PIECE), Sum::default());
        Ok(Upload { app, tenant, import, rest, place: 0, sum, settled: false })
    }
}

impl Upload {
    /// Would so many more bytes still be taken?
    pub fn fits(&self, more: usize) -> bool {
        self.sum.bytes + more as u64 <= MAX_UPLOAD
    }

    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.sum.add(bytes);
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.rest.len()));
            self.rest.extend_from_slice(now);
            bytes = later;
            if self.rest.len() == PIECE {
                self.store_piece().await?;
            }
        }
        Ok(())
    }

    async fn store_piece(&mut self) -> Result<()> {
        let piece = std::mem::replace(&mut self.rest, Vec::with_capacity(PIECE));
        let input = (self.tenant, self.import.id, self.place, piece);
        self.place += 1;
        let write = self.app.db().write(input, |tx, (tenant, import, place, piece)| {
            Box::pin(store::imports::add_piece(tx, *tenant, *import, *place, piece))
        });
        Ok(write.await?)
    }

    /// The file is whole: a worker takes it up at once. Without a format the first byte tells it.
    pub async fn finish(mut self, actor: &Actor, format: Option<Format>) -> Result<Import> {
        if !self.rest.is_empty() {
            self.store_piece().await?;
        }
        let format = format.unwrap_or_else(|| Format::of_text(&self.sum.beginning));
        self.import = Import {
            status: Status::Queued,
            format: format.name().to_owned(),
            fingerprint: self.sum.fingerprint(),
            bytes_total: i64::try_from(self.sum.bytes).unwrap_or(i64::MAX),
            error: self.sum.flaw().map(|flaw| flaw.to_string()),
            ..self.import.clone()
        };
        let input = (self.tenant, actor.clone(), self.import.clone(), self.app.now().to_millis());
        self.app
            .db()
            .write(input, |tx, (tenant, actor, import, now)| {
                Box::pin(async move {
                    store::imports::uploaded(tx, *tenant, import, *now).await?;
                    super::note(tx, actor, *tenant, import, *now).await?;
                    if import.error.is_some() {
                        store::imports::finish(tx, *tenant, import.id, import.error.as_deref(), *now).await?;
                    }
                    Ok::<_, store::Error>(())
                })
            })
            .await?;
        self.settled = true;
        self.app.imports().wake();
        let stored = store::imports::find(self.app.db(), self.tenant, self.import.id).await?;
        Ok(stored.unwrap_or_else(|| self.import.clone()))
    }

    /// Takes everything back.
    pub async fn abandon(mut self) -> Result<()> {
        self.settled = true;
        Ok(remove(self.app.clone(), self.tenant, self.import.id).await?)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        // The caller went away. Should this not come to pass, the sweep finds it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(remove(self.app.clone(), self.tenant, self.import.id));
        }
    }
}

/// An import with all that belongs to it.
pub(super) async fn remove(app: App, tenant: TenantId, id: ImportId) -> store::Result<()> {
    app.db().write((tenant, id), |tx, (tenant, id)| Box::pin(store::imports::remove(tx, *tenant, *id))).await
}
