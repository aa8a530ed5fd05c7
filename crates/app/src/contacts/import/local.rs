//! An import of a file that the process reads itself: no upload, and the next run goes on where this one was cut off.

use std::fs::File;
use std::time::Duration;

use domain::{Id, ImportId, TenantId};
use store::imports::{Counts, Import, Status};

use super::format::Format;
use super::run::{Ended, Progress, Watch, run, take};
use super::source::{Source, Sum};
use super::{Hold, LEASE_SECONDS};
use crate::contacts::Contacts;
use crate::{Actor, ActsFor, App, Error, Result};

/// Whoever waits for a command to end is served best by large batches: neighbours in the index go in together.
const BATCH_ROWS: usize = 20_000;

/// A file and what to do with it.
#[derive(Debug)]
pub struct LocalFile {
    /// Open for reading, and such that one can go back in it.
    pub file: File,
    /// Without one the first byte tells it.
    pub format: Option<Format>,
    pub dry_run: bool,
    /// Begin anew where an earlier run was cut off.
    pub restart: bool,
    /// Rows of a batch, where it is not the usual number.
    pub batch_rows: Option<usize>,
}

/// What came of a local import.
#[derive(Debug)]
pub struct LocalImport {
    pub import: Import,
    pub ended: Ended,
    /// It went on with what an earlier run had begun.
    pub resumed: bool,
}

impl Contacts<'_> {
    pub async fn import_file(
        &self,
        caller: &impl ActsFor,
        actor: &Actor,
        file: LocalFile,
        mut progress: impl FnMut(Progress) + Send,
        stop: impl Fn() -> bool + Sync,
    ) -> Result<LocalImport> {
        let (app, tenant) = (self.0, caller.tenant());
        let LocalFile { file, format, dry_run, restart, batch_rows } = file;
        let read = tokio::task::spawn_blocking(move || summed(Source::File(file)));
        let (source, sum) = read.await.map_err(|_| store::Error::Panicked)??;
        let format = format.unwrap_or_else(|| Format::of_text(&sum.beginning));
        let new = described(app, actor, &sum, format, dry_run);
        let earlier = store::imports::unfinished(app.db(), tenant, &new.fingerprint, dry_run).await?;
        let resumed = earlier.is_some() && !restart;
        let (hold, import) = match earlier {
            Some(earlier) if !restart => (taken(app, tenant, &earlier).await?, earlier.id),
            earlier => {
                let id = new.id;
                (registered(app, tenant, actor, new, earlier.map(|import| import.id)).await?, id)
            }
        };
        let begun = self.import(caller, import).await?;
        let batch_rows = batch_rows.or(Some(BATCH_ROWS));
        let mut watch = Watch { progress: &mut progress, stop: &stop, batch_rows };
        let ended = run(app, hold, &begun, source, &mut watch).await?;
        Ok(LocalImport { import: self.import(caller, import).await?, ended, resumed })
    }
}

/// The whole file once, before anything is done: what cannot be a text is refused here.
fn summed(mut source: Source) -> Result<(Source, Sum)> {
    let wrong = |error: &dyn std::fmt::Display| Error::invalid("file", error);
    let (mut sum, mut piece) = (Sum::default(), Vec::new());
    source.seek(0).map_err(|error| wrong(&error))?;
    while source.read(&mut piece).map_err(|error| wrong(&error))? > 0 {
        sum.add(&piece);
        piece.clear();
    }
    source.seek(0).map_err(|error| wrong(&error))?;
    match sum.flaw() {
        Some(flaw) => Err(wrong(&flaw)),
        None => Ok((source, sum)),
    }
}

fn described(app: &App, actor: &Actor, sum: &Sum, format: Format, dry_run: bool) -> Import {
    let now = app.now().to_millis();
    Import {
        id: Id::new(now),
        status: Status::Local,
        format: format.name().to_owned(),
        dry_run,
        fingerprint: sum.fingerprint(),
        bytes_total: i64::try_from(sum.bytes).unwrap_or(i64::MAX),
        bytes_done: 0,
        counts: Counts::default(),
        header: None,
        error: None,
        actor: actor.who().to_owned(),
        holder: Some(super::new_holder()),
        leased_until: now.plus_seconds(LEASE_SECONDS),
        started_at: now,
        finished_at: None,
    }
}

async fn registered(
    app: &App,
    tenant: TenantId,
    actor: &Actor,
    new: Import,
    given_up: Option<ImportId>,
) -> Result<Hold> {
    let hold = Hold { tenant, import: new.id, holder: new.holder.clone().unwrap_or_default() };
    let input = (tenant, actor.clone(), new, given_up);
    app.db()
        .write(input, |tx, (tenant, actor, new, given_up)| {
            Box::pin(async move {
                if let Some(earlier) = given_up {
                    let error = Some("begun anew by a later run");
                    store::imports::finish(tx, *tenant, *earlier, error, new.started_at).await?;
                }
                store::imports::insert(tx, *tenant, new).await?;
                super::note(tx, actor, *tenant, new, new.started_at).await
            })
        })
        .await?;
    Ok(hold)
}

/// Whoever was cut off cannot say so: its lease must run out first. One that goes on is left alone.
async fn taken(app: &App, tenant: TenantId, earlier: &Import) -> Result<Hold> {
    let hold = Hold { tenant, import: earlier.id, holder: super::new_holder() };
    for _ in 0..=LEASE_SECONDS {
        if take(app, &hold).await? {
            return Ok(hold);
        }
        let present = store::imports::find(app.db(), tenant, earlier.id).await?;
        if present.is_none_or(|present| present.bytes_done != earlier.bytes_done || present.status != Status::Local) {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Err(Error::conflict("file", "another process imports this file at this moment: let it finish, or stop it first"))
}
