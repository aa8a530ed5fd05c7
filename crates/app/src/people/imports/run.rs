//! The loop of an import: a blocking thread reads and checks the next batch while the database applies the present one.
//!
//! Every batch checks the lease first (`check_lease`). When the process dies, the next holder resumes at the stored
//! position; a dry run starts over, since its overlay is only in memory.

use domain::people::imports::{Import, ImportCounts};
use domain::{Field, Timestamp};

use super::apply::{BatchResults, BatchStep, apply, check_lease, look_up, record, taken_over};
use super::decide::decide;
use super::format::Format;
use super::lease::{ImportLease, LEASE_SECONDS};
use super::overlay::Overlay;
use super::reader::{Batch, Failure, Reader};
use super::source::{ByteSource, Unreadable};
use crate::people::People;
use crate::{Error, Result};

/// How a run ended that did not lose its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportEnd {
    Done,
    /// The file was refused as a whole; the import's `error` has the reason.
    Failed,
    /// Stopped on request, between two batches.
    Stopped,
}

/// Progress of an import.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportProgress {
    pub bytes: u64,
    pub counts: ImportCounts,
}

/// Callbacks and limits of a run.
pub(super) struct RunControl<'w> {
    pub progress: &'w mut (dyn FnMut(ImportProgress) + Send),
    pub stop: &'w (dyn Fn() -> bool + Sync),
    /// Rows of a batch; None for the default.
    pub batch_rows: Option<usize>,
}

struct Run<'r> {
    people: &'r People,
    lease: ImportLease,
    format: Format,
    /// Present in a dry run only.
    overlay: Option<Overlay>,
    done: ImportProgress,
}

pub(super) async fn run(
    people: &People,
    lease: ImportLease,
    import: &Import,
    source: ByteSource,
    control: &mut RunControl<'_>,
) -> Result<ImportEnd> {
    let mut run = Run {
        people,
        lease,
        format: import.format.parse().unwrap_or(Format::Csv),
        overlay: import.dry_run.then(Overlay::default),
        done: ImportProgress { bytes: u64::try_from(import.bytes_done).unwrap_or(0), counts: import.counts },
    };
    match run.work(import, source, control).await {
        Ok(ended) => Ok(ended),
        Err(RunError::File(text)) => run.finish(Some(text)).await.map(|()| ImportEnd::Failed),
        Err(RunError::Error(error)) => Err(error),
    }
}

/// Why a run ended early.
enum RunError {
    File(String),
    Error(Error),
}

impl<E: Into<Error>> From<E> for RunError {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::File(problem) => Self::File(problem.to_string()),
            Failure::Unreadable(Unreadable::Store(error)) => Self::Error(error.into()),
            Failure::Unreadable(error) => Self::Error(Error::invalid(Field::File, error)),
        }
    }
}

impl Run<'_> {
    async fn work(
        &mut self,
        import: &Import,
        source: ByteSource,
        control: &mut RunControl<'_>,
    ) -> Result<ImportEnd, RunError> {
        let reader = self.open(import, source).await?.with_batches_of(control.batch_rows);
        let mut reading = read_next(reader, self.people.now().to_millis());
        loop {
            (control.progress)(self.done);
            let (reader, batch, read_at) = reading.await.map_err(|_| store::Error::Panicked)??;
            let Some(batch) = batch else { break };
            if (control.stop)() {
                self.release().await?;
                return Ok(ImportEnd::Stopped);
            }
            reading = read_next(reader, self.people.now().to_millis());
            self.apply_batch(batch, read_at).await?;
        }
        self.finish(None).await?;
        Ok(ImportEnd::Done)
    }

    /// Opens the file at the position where an earlier run ended, or at the beginning. A dry run always starts over,
    /// since its overlay was lost with its process.
    async fn open(&mut self, import: &Import, source: ByteSource) -> Result<Reader, RunError> {
        let (format, at) = (self.format, self.done.bytes);
        let begun = at > 0 || import.counts.rows > 0;
        if begun && self.overlay.is_none() {
            let header = import.header.clone();
            let resume = move || Reader::resume(source, format, header.as_deref(), at);
            return Ok(blocking(resume).await??);
        }
        let (reader, header) = blocking(move || Reader::begin(source, format)).await??;
        let input = (self.lease.clone(), at, header, reader.offset());
        self.people
            .db()
            .write(input, |tx, (lease, at, header, offset)| {
                Box::pin(async move {
                    check_lease(tx, lease, *at).await?;
                    store::people::imports::reset(tx, lease.tenant, lease.import).await?;
                    let done = i64::try_from(*offset).unwrap_or(i64::MAX);
                    store::people::imports::set_header(tx, lease.tenant, lease.import, header.as_deref(), done).await?;
                    Ok::<_, Error>(())
                })
            })
            .await?;
        self.done = ImportProgress { bytes: reader.offset(), counts: ImportCounts::default() };
        Ok(reader)
    }

    async fn apply_batch(&mut self, batch: Batch, read_at: Timestamp) -> Result<()> {
        let first_row = self.done.counts.rows + if self.format == Format::Csv { 2 } else { 1 };
        let bytes = batch.bytes.end;
        let step = BatchStep { lease: self.lease.clone(), batch, first_row, now: read_at };
        let counts = match &mut self.overlay {
            None => self.people.db().write(step, |tx, step| Box::pin(apply(tx, step))).await?,
            Some(overlay) => predict(self.people, step, overlay).await?,
        };
        self.done = ImportProgress { bytes, counts: sum(self.done.counts, counts) };
        Ok(())
    }

    async fn release(&self) -> Result<()> {
        release(self.people, &self.lease).await
    }

    async fn finish(&self, error: Option<String>) -> Result<()> {
        let input = (self.lease.clone(), error, self.people.now().to_millis());
        self.people
            .db()
            .write(input, |tx, (lease, error, now)| {
                Box::pin(async move {
                    if store::people::imports::lock_position(tx, lease.tenant, lease.import, &lease.holder)
                        .await?
                        .is_none()
                    {
                        return Err(taken_over());
                    }
                    Ok(store::people::imports::finish(tx, lease.tenant, lease.import, error.as_deref(), *now).await?)
                })
            })
            .await
    }
}

/// Gives the lease back, so that any node may claim the import.
pub(super) async fn release(people: &People, lease: &ImportLease) -> Result<()> {
    let input = (lease.clone(), people.now());
    let write = people.db().write(input, |tx, (lease, now)| {
        Box::pin(store::people::imports::release(tx, lease.tenant, lease.import, &lease.holder, *now))
    });
    Ok(write.await?)
}

type ReadResult = Result<(Reader, Option<Batch>, Timestamp), Failure>;

fn read_next(mut reader: Reader, now: Timestamp) -> tokio::task::JoinHandle<ReadResult> {
    tokio::task::spawn_blocking(move || {
        let batch = reader.next_batch(now)?;
        Ok((reader, batch, now))
    })
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> store::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| store::Error::Panicked)
}

/// Makes the same decisions as `apply`, but writes only the report.
async fn predict(people: &People, step: BatchStep, overlay: &mut Overlay) -> Result<ImportCounts> {
    let step = std::sync::Arc::new(step);
    let looked = people.db().write(step.clone(), |tx, step| Box::pin(look_up(tx, step.lease.tenant, &step.batch)));
    let mut known = looked.await?;
    overlay.apply_to(&mut known, &step.batch, step.now);
    let decision = decide(&step.batch, step.first_row, &known, step.now);
    for person in decision.people.iter().filter(|person| person.is_new() || person.is_changed()) {
        overlay.remember(person, step.now);
    }
    let input = (step.clone(), BatchResults::from_decision(decision));
    people
        .db()
        .write(input, |tx, (step, results)| {
            Box::pin(async move {
                check_lease(tx, &step.lease, step.batch.bytes.start).await?;
                record(tx, step, results).await
            })
        })
        .await
}

fn sum(a: ImportCounts, b: ImportCounts) -> ImportCounts {
    ImportCounts {
        rows: a.rows + b.rows,
        created: a.created + b.created,
        updated: a.updated + b.updated,
        unchanged: a.unchanged + b.unchanged,
        rejected: a.rejected + b.rejected,
    }
}

/// Claims an import whose lease is free or has run out. False if another process holds it.
pub(super) async fn claim(people: &People, lease: &ImportLease) -> Result<bool> {
    let now = people.now();
    let input = (lease.clone(), now, now.plus_seconds(LEASE_SECONDS));
    let write = people.db().write(input, |tx, (lease, now, until)| {
        Box::pin(store::people::imports::claim(tx, lease.tenant, lease.import, &lease.holder, *now, *until))
    });
    Ok(write.await?)
}
