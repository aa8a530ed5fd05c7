//! An upload: pieces of a file that become an import once the file is complete.

use domain::base::quotas::Quota;
use domain::people::consent_values::ConsentColumn;
use domain::people::imports::{Import, ImportCounts, ImportStatus};
use domain::{Id, ImportId, TenantId};
use store::BatchSize;

use super::audit::audit_import;
use super::format::Format;
use super::source::{FileDigest, PIECE};
use crate::base::quotas;
use crate::people::People;
use crate::people::contacts::Contacts;
use crate::{Actor, ActsFor, Error, Result};

/// The largest upload, in bytes.
pub const MAX_UPLOAD: u64 = 100 << 20;

/// An upload in progress. Dropping it before `finish` deletes the import and its pieces.
#[derive(Debug)]
pub struct Upload {
    people: People,
    tenant: TenantId,
    actor: Actor,
    import: Import,
    rest: Vec<u8>,
    piece_number: i64,
    digest: FileDigest,
    settled: bool,
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn begin_upload(&self, caller: &dyn ActsFor, dry_run: bool) -> Result<Upload> {
        let (people, tenant, actor) = (self.0.clone(), caller.tenant(), caller.audit_actor());
        let now = people.now().to_millis();
        let import = Import {
            id: Id::new(now),
            status: ImportStatus::Uploading,
            format: String::new(),
            dry_run,
            fingerprint: String::new(),
            bytes_total: 0,
            bytes_done: 0,
            counts: ImportCounts::default(),
            header: None,
            consent: ConsentColumn::default(),
            error: None,
            actor: actor.who().to_owned(),
            holder: None,
            leased_until: now,
            started_at: now,
            finished_at: None,
        };
        let (input, quotas) = ((tenant, import.clone()), people.quotas());
        let write = people.db().write(input, move |tx, (tenant, import)| {
            Box::pin(async move {
                quotas::check(&quotas, Quota::Imports, store::people::imports::count_open(tx, *tenant).await?, 1)?;
                Ok::<_, Error>(store::people::imports::insert(tx, *tenant, import).await?)
            })
        });
        write.await?;
        let (rest, digest) = (Vec::with_capacity(PIECE), FileDigest::default());
        Ok(Upload { people, tenant, actor, import, rest, piece_number: 0, digest, settled: false })
    }
}

#[boxed::futures]
impl Upload {
    /// Sets how the values of the consent column are read.
    #[must_use]
    pub fn with_consent(mut self, consent: ConsentColumn) -> Self {
        self.import.consent = consent;
        self
    }

    /// True if `more` bytes still fit into `MAX_UPLOAD`.
    pub fn fits(&self, more: usize) -> bool {
        self.digest.bytes + more as u64 <= MAX_UPLOAD
    }

    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.digest.add(bytes);
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
        let input = (self.tenant, self.import.id, self.piece_number, piece);
        self.piece_number += 1;
        let write = self.people.db().write(input, |tx, (tenant, import, piece_number, piece)| {
            Box::pin(store::people::imports::add_piece(tx, *tenant, *import, *piece_number, piece))
        });
        Ok(write.await?)
    }

    /// Queues the complete file and wakes the worker. A file that is empty, has the byte order mark of another encoding
    /// or has a NUL byte becomes a failed import at once. Without `format`, the first byte that is no blank decides the
    /// format.
    pub async fn finish(mut self, format: Option<Format>) -> Result<Import> {
        if !self.rest.is_empty() {
            self.store_piece().await?;
        }
        let format = format.unwrap_or_else(|| Format::of_text(&self.digest.beginning));
        self.import = Import {
            status: ImportStatus::Queued,
            format: format.name().to_owned(),
            fingerprint: self.digest.fingerprint(),
            bytes_total: i64::try_from(self.digest.bytes).unwrap_or(i64::MAX),
            error: self.digest.problem().map(|problem| problem.to_string()),
            ..self.import.clone()
        };
        let input = (self.tenant, self.actor.clone(), self.import.clone(), self.people.now().to_millis());
        self.people
            .db()
            .write(input, |tx, (tenant, actor, import, now)| {
                Box::pin(async move {
                    store::people::imports::finish_upload(tx, *tenant, import, *now).await?;
                    audit_import(tx, actor, *tenant, import, *now).await?;
                    if import.error.is_some() {
                        store::people::imports::finish(tx, *tenant, import.id, import.error.as_deref(), *now).await?;
                    }
                    Ok::<_, store::Error>(())
                })
            })
            .await?;
        self.settled = true;
        if self.import.error.is_some() {
            drop_pieces(&self.people, self.tenant, self.import.id).await?;
        }
        self.people.import_wakeup().wake();
        let stored = store::people::imports::find(self.people.db(), self.tenant, self.import.id).await?;
        Ok(stored.unwrap_or_else(|| self.import.clone()))
    }

    /// Removes the import and its pieces.
    pub async fn abandon(mut self) -> Result<()> {
        self.settled = true;
        Ok(remove(self.people.clone(), self.tenant, self.import.id).await?)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        // The client has disconnected. If this task does not run, for example because the process stops, the sweep
        // removes the upload.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(remove(self.people.clone(), self.tenant, self.import.id));
        }
    }
}

/// Pieces that one transaction deletes, on SQLite in a few milliseconds.
const PIECES_AT_ONCE: i64 = 8;
/// Most rejected rows that one transaction deletes.
const REJECTS_AT_ONCE: usize = 500;

/// Deletes the pieces of an import, in several transactions.
pub(super) async fn drop_pieces(people: &People, tenant: TenantId, id: ImportId) -> store::Result<()> {
    loop {
        let some = people.db().write((tenant, id), |tx, (tenant, id)| {
            Box::pin(store::people::imports::drop_some_pieces(tx, *tenant, *id, PIECES_AT_ONCE))
        });
        if some.await? < PIECES_AT_ONCE.unsigned_abs() {
            return Ok(());
        }
    }
}

/// Deletes an import with its pieces and results.
pub(super) async fn remove(people: People, tenant: TenantId, id: ImportId) -> store::Result<()> {
    drop_pieces(&people, tenant, id).await?;
    let mut size = BatchSize::new(people.db(), REJECTS_AT_ONCE);
    loop {
        let input = (tenant, id, size.limit());
        let some = people.db().write_timed(input, |tx, (tenant, id, limit)| {
            Box::pin(store::people::imports::drop_some_rejects(tx, *tenant, *id, *limit))
        });
        let (deleted, took) = some.await?;
        if deleted < size.limit().unsigned_abs() {
            break;
        }
        size.record(took).await;
    }
    people.db().write((tenant, id), |tx, (tenant, id)| Box::pin(store::people::imports::remove(tx, *tenant, *id))).await
}
