//! Importing contacts from files, either uploaded through the API and processed by the import worker, or read by the
//! `contact import` command.
//!
//! A process claims an import with a lease (`LEASE_SECONDS`) that each batch renews. A batch applies its contacts,
//! verdicts, rejected rows and the position in the file in one transaction, and checks the holder of the lease and that
//! position first. So no row is applied twice: a process that lost its lease changes nothing, and after a crash the
//! next holder resumes at the stored position. A dry run writes verdicts and rejected rows only, and starts over after
//! a crash.
//!
//! Read on in `run` (the loop), `apply` (one batch), `decide` (what becomes of a row), `reader` (file to rows).

mod apply;
pub(crate) mod cells;
mod csv;
mod decide;
mod flaw;
mod format;
pub(super) mod header;
mod json;
mod local;
mod overlay;
mod reader;
mod report;
mod row;
mod run;
mod source;
mod upload;
mod verdicts;

pub use flaw::BadFile;
pub use format::{Format, NotAFormat};
pub use local::{LocalFile, LocalImport};
pub use run::{ImportEnd, ImportProgress};
pub use upload::{MAX_UPLOAD, Upload};

use domain::imports::{Import, ImportStatus};
use domain::{ImportId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use super::Contacts;
use crate::{Actor, ActsFor, App, Error, Result, Thing};
use run::{RunControl, claim, release, run};
use source::ByteSource;

/// Lease duration: another node may take over this long after the holder's last batch.
const LEASE_SECONDS: i64 = 30;
/// An import and its results are kept this many days after its last change.
const KEPT_DAYS: i64 = 30;
/// An upload that is not complete after this time is deleted by the sweep.
const UPLOAD_SECONDS: i64 = 6 * 3600;
/// Most imports in a list.
const LISTED: i64 = 100;

/// An import claimed by this process. `holder` is random for each claim, so a second claim of the same process fences
/// the first.
#[derive(Debug, Clone)]
struct ImportLease {
    tenant: TenantId,
    import: ImportId,
    holder: String,
}

fn new_holder() -> String {
    format!("{:016x}", rand::random::<u64>())
}

/// An import's state as the API shows it.
pub fn status_of(import: &Import) -> &'static str {
    match import.status {
        ImportStatus::Uploading | ImportStatus::Queued if import.holder.is_none() => "queued",
        ImportStatus::Uploading | ImportStatus::Queued | ImportStatus::Local => "running",
        ImportStatus::Done => "done",
        ImportStatus::Failed => "failed",
    }
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn import(&self, caller: &dyn ActsFor, id: ImportId) -> Result<Import> {
        let found = store::imports::find(self.0.db(), caller.tenant(), id).await?;
        found.filter(|import| import.status != ImportStatus::Uploading).ok_or(Error::NotFound(Thing::Import))
    }

    /// The latest imports, newest first; at most `LISTED`.
    pub async fn imports(&self, caller: &dyn ActsFor) -> Result<Vec<Import>> {
        Ok(store::imports::latest(self.0.db(), caller.tenant(), LISTED).await?)
    }
}

async fn audit_import(
    tx: &mut Tx<'_>,
    actor: &Actor,
    tenant: TenantId,
    import: &Import,
    now: Timestamp,
) -> store::Result<()> {
    let details = json!({"format": import.format, "dry_run": import.dry_run, "bytes": import.bytes_total});
    actor.note(tx, tenant, now, "contacts.import", &import.id.to_string(), details).await
}

#[boxed::futures]
impl App {
    /// Waits until an import is created in this process.
    pub async fn import_created(&self) {
        self.import_wakeup().woken().await;
    }

    /// Processes uploaded imports that no process holds, and those whose lease has run out, until there are none or
    /// `stop` returns true. If the database fails, the round ends with its error and the import can be claimed again;
    /// an import that fails for another reason ends as failed.
    pub async fn process_imports(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        while !stop()
            && let Some((tenant, import)) = store::imports::open(self.db(), self.now()).await?
        {
            let lease = ImportLease { tenant, import, holder: new_holder() };
            match self.process(&lease, &stop).await {
                Ok(()) | Err(Error::Conflict { .. }) => {}
                Err(Error::Store(error @ (store::Error::Unavailable(_) | store::Error::TryAgain(_)))) => {
                    // Any node may claim the import again. If the release fails too, the lease runs out.
                    let _ = release(self, &lease).await;
                    return Err(error.into());
                }
                Err(error) => {
                    tracing::error!(%error, %import, "an import failed");
                    self.give_up(&lease).await?;
                }
            }
        }
        Ok(())
    }

    async fn process(&self, lease: &ImportLease, stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let ImportLease { tenant, import, .. } = *lease;
        if !claim(self, lease).await? {
            return Ok(());
        }
        let Some(found) = store::imports::find(self.db(), tenant, import).await? else { return Ok(()) };
        let source = ByteSource::Pieces { db: self.db().clone(), tenant, import, at: 0 };
        let mut control = RunControl { progress: &mut |_| {}, stop, batch_rows: None };
        run(self, lease.clone(), &found, source, &mut control).await.map(drop)
    }

    /// Ends an import as failed after an internal error, if this process still holds its lease; the rows of its stored
    /// batches stay imported. A retry would fail again and delay the other imports.
    async fn give_up(&self, lease: &ImportLease) -> Result<()> {
        let input = (lease.clone(), self.now().to_millis());
        let write = self.db().write(input, |tx, (lease, now)| {
            let error = "something went wrong here; the rows up to this point are imported. See the server's log";
            Box::pin(async move {
                let held = store::imports::lock_position(tx, lease.tenant, lease.import, &lease.holder).await?;
                match held {
                    Some(_) => store::imports::finish(tx, lease.tenant, lease.import, Some(error), *now).await,
                    None => Ok(()),
                }
            })
        });
        Ok(write.await?)
    }

    /// Deletes imports that last changed more than `KEPT_DAYS` ago, and uploads that began more than `UPLOAD_SECONDS`
    /// ago and are not complete. The imported contacts stay.
    pub async fn sweep_imports(&self) -> Result<()> {
        let now = self.now();
        let (then, uploads) = (now.plus_seconds(-KEPT_DAYS * 86_400), now.plus_seconds(-UPLOAD_SECONDS));
        loop {
            let old = store::imports::old(self.db(), then, uploads).await?;
            if old.is_empty() {
                return Ok(());
            }
            for (tenant, id) in old {
                upload::remove(self.clone(), tenant, id).await?;
            }
        }
    }
}
