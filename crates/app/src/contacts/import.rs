//! Importing contacts from files: uploaded and worked off behind the requests, or read by a command.
//!
//! Whatever happens in between, every row is taken in once: a batch changes the contacts and notes how far the import
//! is in one transaction.

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

pub use domain::imports::{Counts, Import};
pub use flaw::BadFile;
pub use format::{Format, NotAFormat};
pub use local::{LocalFile, LocalImport};
pub use run::{Ended, Progress};
pub use upload::{MAX_UPLOAD, Upload};

use domain::{ImportId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;
use store::imports::Status;
use tokio::sync::Notify;

use super::Contacts;
use crate::{Actor, ActsFor, App, Error, Result, Thing};
use run::{Watch, release, run, take};
use source::Source;

/// Each batch renews it; whoever lets it run out is taken for dead.
const LEASE_SECONDS: i64 = 30;
/// How long what came of an import can be looked at.
const KEPT_DAYS: i64 = 30;
/// An upload that takes longer than this is one that nobody goes on with.
const UPLOAD_SECONDS: i64 = 6 * 3600;
/// Imports that a list shows.
const LISTED: i64 = 100;

/// An import that somebody works on.
#[derive(Debug, Clone)]
struct Hold {
    tenant: TenantId,
    import: ImportId,
    holder: String,
}

fn new_holder() -> String {
    format!("{:016x}", rand::random::<u64>())
}

/// How imports reach the worker of their own process.
#[derive(Debug, Default)]
pub struct Imports {
    made: Notify,
}

impl Imports {
    fn wake(&self) {
        self.made.notify_one();
    }
}

/// What a caller is told of an import's state.
pub fn status_of(import: &Import) -> &'static str {
    match import.status {
        Status::Uploading | Status::Queued if import.holder.is_none() => "queued",
        Status::Uploading | Status::Queued | Status::Local => "running",
        Status::Done => "done",
        Status::Failed => "failed",
    }
}

impl Contacts<'_> {
    pub async fn import(&self, caller: &impl ActsFor, id: ImportId) -> Result<Import> {
        let found = store::imports::find(self.0.db(), caller.tenant(), id).await?;
        found.filter(|import| import.status != Status::Uploading).ok_or(Error::NotFound(Thing::Import))
    }

    /// Newest first.
    pub async fn imports(&self, caller: &impl ActsFor) -> Result<Vec<Import>> {
        Ok(store::imports::latest(self.0.db(), caller.tenant(), LISTED).await?)
    }
}

async fn note(tx: &mut Tx<'_>, actor: &Actor, tenant: TenantId, import: &Import, now: Timestamp) -> store::Result<()> {
    let details = json!({"format": import.format, "dry_run": import.dry_run, "bytes": import.bytes_total});
    actor.note(tx, tenant, now, "contacts.import", &import.id.to_string(), details).await
}

impl App {
    /// Comes back when an import was made in this process.
    pub async fn import_made(&self) {
        self.imports().made.notified().await;
    }

    /// Works off whatever imports wait, also those that another node has let go of, until there are none or `stop`.
    pub async fn work_off_imports(&self, stop: impl Fn() -> bool + Sync) -> Result<()> {
        while !stop()
            && let Some((tenant, import)) = store::imports::open(self.db(), self.now()).await?
        {
            let hold = Hold { tenant, import, holder: new_holder() };
            match self.work_off(&hold, &stop).await {
                Ok(()) | Err(Error::Conflict { .. }) => {}
                Err(Error::Store(error @ (store::Error::Unavailable(_) | store::Error::TryAgain(_)))) => {
                    // Later, by whoever comes first. If even this fails, the lease runs out.
                    let _ = release(self, &hold).await;
                    return Err(error.into());
                }
                Err(error) => {
                    tracing::error!(%error, %import, "an import failed");
                    self.give_up(&hold).await?;
                }
            }
        }
        Ok(())
    }

    async fn work_off(&self, hold: &Hold, stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let Hold { tenant, import, .. } = *hold;
        if !take(self, hold).await? {
            return Ok(());
        }
        let Some(found) = store::imports::find(self.db(), tenant, import).await? else { return Ok(()) };
        let source = Source::Pieces { db: self.db().clone(), tenant, import, at: 0 };
        let mut watch = Watch { progress: &mut |_| {}, stop, batch_rows: None };
        run(self, hold.clone(), &found, source, &mut watch).await.map(drop)
    }

    /// What failed for a reason of ours would fail again, and hold up the others.
    async fn give_up(&self, hold: &Hold) -> Result<()> {
        let input = (hold.clone(), self.now().to_millis());
        let write = self.db().write(input, |tx, (hold, now)| {
            let error = "something went wrong here; the rows up to this point are imported, the log has the reason";
            Box::pin(store::imports::finish(tx, hold.tenant, hold.import, Some(error), *now))
        });
        Ok(write.await?)
    }

    /// Forgets imports that ended long ago, and what is left of uploads that never ended.
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
