//! An import of a file that the command reads itself, without an upload. If an earlier run over the same bytes crashed
//! or was stopped, the next run resumes where it ended. With `restart` the next run starts from the beginning instead,
//! and the earlier one ends as failed. A dry run continues only an earlier dry run, and starts its file over.

use std::fs::File;
use std::time::Duration;

use domain::people::consent_values::ConsentColumn;
use domain::people::imports::{Import, ImportCounts, ImportStatus};
use domain::{Field, Id, ImportId, TenantId};

use super::audit::audit_import;
use super::format::Format;
use super::lease::{ImportLease, LEASE_SECONDS, new_holder};
use super::run::{ImportEnd, ImportProgress, RunControl, claim, run};
use super::source::{ByteSource, FileDigest};
use crate::people::People;
use crate::people::contacts::Contacts;
use crate::{Actor, ActsFor, Error, Result};

/// Rows of a batch. More than in the worker's batches, so that the command ends sooner: neighbouring entries of the
/// index are written together.
const BATCH_ROWS: usize = 20_000;

/// A file to import, with options.
#[derive(Debug)]
pub struct LocalFile {
    /// Open for reading, and seekable.
    pub file: File,
    /// None: the format is recognized by the first byte that is no blank.
    pub format: Option<Format>,
    pub dry_run: bool,
    /// How the values of the consent column are read.
    pub consent: ConsentColumn,
    /// Start from the beginning instead of resuming an earlier run.
    pub restart: bool,
    /// Rows of a batch; None for the default.
    pub batch_rows: Option<usize>,
    /// Pause after each transaction, so that a server on the same SQLite database gets the write lock in between; zero
    /// if there is none.
    pub pause: Duration,
}

/// The result of a local import.
#[derive(Debug)]
pub struct LocalImport {
    pub import: Import,
    pub ended: ImportEnd,
    /// True if the run resumed an earlier one.
    pub resumed: bool,
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn import_file(
        &self,
        caller: &dyn ActsFor,
        file: LocalFile,
        progress: &mut (dyn FnMut(ImportProgress) + Send),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<LocalImport> {
        let (people, tenant, actor) = (self.0, caller.tenant(), caller.audit_actor());
        let LocalFile { file, format, dry_run, consent, restart, batch_rows, pause } = file;
        let read = tokio::task::spawn_blocking(move || digest_file(ByteSource::File(file)));
        let (source, digest) = read.await.map_err(|_| store::Error::Panicked)??;
        let format = format.unwrap_or_else(|| Format::of_text(&digest.beginning));
        let new = Import { consent, ..new_import(people, &actor, &digest, format, dry_run) };
        let earlier = store::people::imports::unfinished(people.db(), tenant, &new.fingerprint, dry_run).await?;
        // An earlier run that read consent differently cannot be continued.
        let continues = |earlier: &Import| !restart && earlier.consent.reads_like(&new.consent);
        let resumed = earlier.as_ref().is_some_and(continues);
        let (lease, import) = match earlier {
            Some(earlier) if resumed => (claim_earlier(people, tenant, &earlier).await?, earlier.id),
            earlier => {
                let id = new.id;
                (insert_import(people, tenant, actor, new, earlier.map(|import| import.id)).await?, id)
            }
        };
        let begun = self.import(caller, import).await?;
        let batch_rows = batch_rows.or(Some(BATCH_ROWS));
        let mut control = RunControl { progress, stop, batch_rows, pause };
        let ended = run(people, lease, &begun, source, &mut control).await?;
        Ok(LocalImport { import: self.import(caller, import).await?, ended, resumed })
    }
}

/// Computes the digest of the whole file, and seeks to its start again. A file that is empty or no UTF-8 text is
/// refused.
fn digest_file(mut source: ByteSource) -> Result<(ByteSource, FileDigest)> {
    let wrong = |error: &dyn std::fmt::Display| Error::invalid(Field::File, error);
    let (mut digest, mut piece) = (FileDigest::default(), Vec::new());
    source.seek(0).map_err(|error| wrong(&error))?;
    while source.read(&mut piece).map_err(|error| wrong(&error))? > 0 {
        digest.add(&piece);
        piece.clear();
    }
    source.seek(0).map_err(|error| wrong(&error))?;
    match digest.problem() {
        Some(problem) => Err(wrong(&problem)),
        None => Ok((source, digest)),
    }
}

fn new_import(people: &People, actor: &Actor, digest: &FileDigest, format: Format, dry_run: bool) -> Import {
    let now = people.now().to_millis();
    Import {
        id: Id::new(now),
        status: ImportStatus::Local,
        format: format.name().to_owned(),
        dry_run,
        fingerprint: digest.fingerprint(),
        bytes_total: i64::try_from(digest.bytes).unwrap_or(i64::MAX),
        bytes_done: 0,
        counts: ImportCounts::default(),
        header: None,
        consent: ConsentColumn::default(),
        error: None,
        actor: actor.who().to_owned(),
        holder: Some(new_holder()),
        leased_until: now.plus_seconds(LEASE_SECONDS),
        started_at: now,
        finished_at: None,
    }
}

async fn insert_import(
    people: &People,
    tenant: TenantId,
    actor: Actor,
    new: Import,
    given_up: Option<ImportId>,
) -> Result<ImportLease> {
    let lease = ImportLease { tenant, import: new.id, holder: new.holder.clone().unwrap_or_default() };
    let input = (tenant, actor, new, given_up);
    people
        .db()
        .write(input, |tx, (tenant, actor, new, given_up)| {
            Box::pin(async move {
                if let Some(earlier) = given_up {
                    let error = Some("restarted by a later run");
                    store::people::imports::finish(tx, *tenant, *earlier, error, new.started_at).await?;
                }
                store::people::imports::insert(tx, *tenant, new).await?;
                audit_import(tx, actor, *tenant, new, new.started_at).await
            })
        })
        .await?;
    Ok(lease)
}

/// Claims an earlier run of the same file. If its process died, waits until the lease has run out. If the earlier run
/// makes progress meanwhile, it is alive and the claim is refused.
async fn claim_earlier(people: &People, tenant: TenantId, earlier: &Import) -> Result<ImportLease> {
    let lease = ImportLease { tenant, import: earlier.id, holder: new_holder() };
    for _ in 0..=LEASE_SECONDS {
        if claim(people, &lease).await? {
            return Ok(lease);
        }
        let present = store::people::imports::find(people.db(), tenant, earlier.id).await?;
        if present
            .is_none_or(|present| present.bytes_done != earlier.bytes_done || present.status != ImportStatus::Local)
        {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Err(Error::conflict(Field::File, "another process is importing this file: let it finish, or stop it first"))
}
