//! Importing contacts from files, either uploaded through the API and processed by the import worker, or read by the
//! `contact import` command.
//!
//! A process claims an import with a lease (`LEASE_SECONDS`) that each transaction renews. A transaction applies the
//! contacts, verdicts, rejected rows and the position in the file of a batch, on SQLite of a part of it, and checks the
//! holder of the lease and that position first. So no row is applied twice: a process that lost its lease changes
//! nothing, and after a crash the next holder resumes at the stored position. A dry run writes verdicts and rejected
//! rows only, and starts over after a crash.
//!
//! Read on in `worker` (all imports), `run` (the loop over one file), `apply` (one transaction), `index` (entries of
//! the index that are written later), `decide` (what becomes of a row), `reader` (file to rows).

mod apply;
mod audit;
pub(crate) mod cells;
mod csv;
mod decide;
mod format;
pub(crate) mod header;
mod index;
mod json;
mod lease;
mod local;
mod overlay;
mod problem;
mod reader;
mod report;
mod row;
mod run;
mod source;
mod upload;
mod verdicts;
mod worker;

pub use format::{Format, NotAFormat};
pub use local::{LocalFile, LocalImport};
pub use problem::BadFile;
pub use run::{ImportEnd, ImportProgress};
pub use upload::{MAX_UPLOAD, Upload};

use domain::ImportId;
use domain::people::imports::{Import, ImportStatus};

use super::contacts::Contacts;
use crate::{ActsFor, Error, Result, Thing};

/// Most imports in a list.
const LISTED: i64 = 100;

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
        let found = store::people::imports::find(self.0.db(), caller.tenant(), id).await?;
        found.filter(|import| import.status != ImportStatus::Uploading).ok_or(Error::NotFound(Thing::Import))
    }

    /// The latest imports, newest first; at most `LISTED`.
    pub async fn imports(&self, caller: &dyn ActsFor) -> Result<Vec<Import>> {
        Ok(store::people::imports::latest(self.0.db(), caller.tenant(), LISTED).await?)
    }
}
