//! The loop of an import: a blocking thread reads and checks the next batch while the database applies the present one.
//!
//! On PostgreSQL a batch is one transaction. On SQLite, where other writers wait for it, it is applied in parts of a
//! few milliseconds each, and the index entries of its contacts are written after some thousands of them (`index.rs`).
//!
//! Every transaction checks the lease first (`check_lease`). When the process dies, the next holder resumes at the
//! stored position; a dry run starts over, since its overlay is only in memory.

use std::sync::Arc;
use std::time::Duration;

use domain::people::consent_values::ConsentColumn;
use domain::people::imports::{Import, ImportCounts};
use domain::{Field, Timestamp};
use store::{BatchSize, Engine};

use super::apply::{BatchResults, BatchStep, apply, check_lease, look_up, record, taken_over};
use super::decide::decide;
use super::format::Format;
use super::index::{INDEX_AFTER, entries_at_once, index_contacts};
use super::lease::{ImportLease, LEASE_SECONDS};
use super::overlay::Overlay;
use super::reader::{Batch, BatchPart, Failure, Indexing, Reader};
use super::source::{ByteSource, Unreadable};
use super::upload::drop_pieces;
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
    /// Pause after each transaction, for writers in other processes.
    pub pause: Duration,
}

struct Run<'r> {
    people: &'r People,
    lease: ImportLease,
    format: Format,
    /// Present in a dry run only.
    overlay: Option<Overlay>,
    done: ImportProgress,
    consent: ConsentColumn,
    /// Rows of one transaction.
    rows: BatchSize,
    indexing: Indexing,
    /// Contacts that were inserted without their index entries since these were last written.
    unindexed: i64,
    /// Index entries of one transaction.
    entries: BatchSize,
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
        consent: import.consent.clone(),
        rows: BatchSize::new(people.db(), usize::MAX).with_pause(control.pause),
        indexing: if people.db().engine() == Engine::Sqlite { Indexing::Later } else { Indexing::AtOnce },
        unindexed: 0,
        entries: entries_at_once(people).with_pause(control.pause),
    };
    // What an earlier holder has left.
    run.index().await?;
    let ended = run.work(import, source, control).await;
    // A stop does not wait: the next holder, or the import worker, indexes what is left.
    if matches!(ended, Ok(ImportEnd::Done) | Err(RunError::File(_))) {
        run.index().await?;
    }
    match ended {
        Ok(ImportEnd::Stopped) => release(people, &run.lease).await.map(|()| ImportEnd::Stopped),
        Ok(ended) => {
            // Before the end: the next holder of an import that has not ended deletes what a crash leaves.
            if run.overlay.is_none() {
                drop_pieces(people, run.lease.tenant, run.lease.import).await?;
            }
            run.finish(None).await.map(|()| ended)
        }
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
        let reader = self.open(import, source).await?;
        let reader = reader.with_batches_of(control.batch_rows).with_indexing(self.indexing);
        let reader = reader.with_consent(self.consent.clone());
        let mut reading = read_next(reader, self.people.now().to_millis());
        loop {
            (control.progress)(self.done);
            let (reader, batch, read_at) = reading.await.map_err(|_| store::Error::Panicked)??;
            let Some(batch) = batch else { return Ok(ImportEnd::Done) };
            if (control.stop)() {
                return Ok(ImportEnd::Stopped);
            }
            reading = read_next(reader, self.people.now().to_millis());
            self.apply_batch(batch, read_at).await?;
        }
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
        self.consent = self.consent.clone().without_found();
        Ok(reader)
    }

    async fn apply_batch(&mut self, batch: Batch, read_at: Timestamp) -> Result<()> {
        let (batch, mut from) = (Arc::new(batch), 0);
        while from < batch.items.len() {
            let part = BatchPart::new(&batch, from, self.rows.rows());
            from = part.end();
            self.apply_part(part, read_at).await?;
            if self.unindexed >= INDEX_AFTER {
                self.index().await?;
            }
        }
        Ok(())
    }

    async fn apply_part(&mut self, part: BatchPart, read_at: Timestamp) -> Result<()> {
        let first_row = self.done.counts.rows + if self.format == Format::Csv { 2 } else { 1 };
        let bytes = part.bytes().end;
        let mut consent = self.consent.clone();
        consent.count(part.rows().filter_map(|row| row.consent_value.as_deref()));
        let (lease, indexing) = (self.lease.clone(), self.indexing);
        let step = BatchStep { lease, part, first_row, now: read_at, indexing, consent: consent.clone() };
        let (counts, took) = match &mut self.overlay {
            None => self.people.db().write_timed(step, |tx, step| Box::pin(apply(tx, step))).await?,
            Some(overlay) => predict(self.people, step, overlay).await?,
        };
        if self.indexing == Indexing::Later && self.overlay.is_none() {
            self.unindexed += counts.created;
        }
        self.rows.record(took).await;
        self.done = ImportProgress { bytes, counts: sum(self.done.counts, counts) };
        self.consent = consent;
        Ok(())
    }

    /// Writes the index entries of the contacts that have none.
    async fn index(&mut self) -> Result<()> {
        self.unindexed = 0;
        index_contacts(self.people, &self.lease, &mut self.entries, &|| false).await
    }

    /// Ends the import, and deletes what is left of its file.
    async fn finish(&self, error: Option<String>) -> Result<()> {
        let ImportLease { tenant, import, .. } = self.lease;
        let input = (self.lease.clone(), error, self.people.now().to_millis());
        let write = self.people.db().write(input, |tx, (lease, error, now)| {
            Box::pin(async move {
                let position =
                    store::people::imports::lock_position(tx, lease.tenant, lease.import, &lease.holder).await?;
                if position.is_none() {
                    return Err(taken_over());
                }
                Ok(store::people::imports::finish(tx, lease.tenant, lease.import, error.as_deref(), *now).await?)
            })
        });
        write.await?;
        Ok(drop_pieces(self.people, tenant, import).await?)
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

/// Makes the same decisions as `apply`, but writes only the report. Also returns how long that held the writer.
async fn predict(people: &People, step: BatchStep, overlay: &mut Overlay) -> Result<(ImportCounts, Duration)> {
    let step = Arc::new(step);
    let looked = people.db().preview(step.clone(), |tx, step| Box::pin(look_up(tx, step.lease.tenant, &step.part)));
    let mut known = looked.await?;
    overlay.apply_to(&mut known, &step.part, step.now);
    let decision = decide(&step.part, step.first_row, &known, step.now);
    for person in decision.people.iter().filter(|person| person.is_new() || person.is_changed()) {
        overlay.remember(person, step.now);
    }
    let input = (step.clone(), BatchResults::from_decision(decision));
    people
        .db()
        .write_timed(input, |tx, (step, results)| {
            Box::pin(async move {
                check_lease(tx, &step.lease, step.part.bytes().start).await?;
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
