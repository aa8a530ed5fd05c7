//! Working an import off: one thread reads and checks the next batch while the database takes the present one in.

use domain::Timestamp;
use store::imports::{Counts, Import};

use super::apply::{Results, Step, apply, look_up, record, still_ours, taken_over};
use super::decide::decide;
use super::format::Format;
use super::overlay::Overlay;
use super::reader::{Batch, Failure, Reader};
use super::source::{Source, Unreadable};
use super::{Hold, LEASE_SECONDS};
use crate::{App, Error, Result};

/// How an import ended that was not torn away from us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Done,
    /// The file was refused as a whole; the import says why.
    Failed,
    /// Asked to stop, between two batches.
    Stopped,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    pub bytes: u64,
    pub counts: Counts,
}

/// What steers a run from outside.
pub(super) struct Watch<'w> {
    pub progress: &'w mut (dyn FnMut(Progress) + Send),
    pub stop: &'w (dyn Fn() -> bool + Sync),
    /// Rows of a batch, where it is not the usual number.
    pub batch_rows: Option<usize>,
}

struct Run<'r> {
    app: &'r App,
    hold: Hold,
    format: Format,
    /// Only a dry run has one.
    overlay: Option<Overlay>,
    done: Progress,
}

pub(super) async fn run(
    app: &App,
    hold: Hold,
    import: &Import,
    source: Source,
    watch: &mut Watch<'_>,
) -> Result<Ended> {
    let mut run = Run {
        app,
        hold,
        format: import.format.parse().unwrap_or(Format::Csv),
        overlay: import.dry_run.then(Overlay::default),
        done: Progress { bytes: u64::try_from(import.bytes_done).unwrap_or(0), counts: import.counts },
    };
    match run.work(import, source, watch).await {
        Ok(ended) => Ok(ended),
        Err(Stop::File(text)) => run.finish(Some(text)).await.map(|()| Ended::Failed),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// Why a run goes no further.
enum Stop {
    File(String),
    Error(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::File(flaw) => Self::File(flaw.to_string()),
            Failure::Unreadable(Unreadable::Store(error)) => Self::Error(error.into()),
            Failure::Unreadable(error) => Self::Error(Error::invalid("file", error)),
        }
    }
}

impl Run<'_> {
    async fn work(&mut self, import: &Import, source: Source, watch: &mut Watch<'_>) -> Result<Ended, Stop> {
        let reader = self.open(import, source).await?.with_batches_of(watch.batch_rows);
        let mut reading = read_next(reader, self.app.now().to_millis());
        loop {
            (watch.progress)(self.done);
            let (reader, batch, read_at) = reading.await.map_err(|_| store::Error::Panicked)??;
            let Some(batch) = batch else { break };
            if (watch.stop)() {
                self.release().await?;
                return Ok(Ended::Stopped);
            }
            reading = read_next(reader, self.app.now().to_millis());
            self.take_in(batch, read_at).await?;
        }
        self.finish(None).await?;
        Ok(Ended::Done)
    }

    /// At the beginning, or where an earlier run has stopped. What a dry run remembered went with its process, so it
    /// begins anew.
    async fn open(&mut self, import: &Import, source: Source) -> Result<Reader, Stop> {
        let (format, at) = (self.format, self.done.bytes);
        let begun = at > 0 || import.counts.rows > 0;
        if begun && self.overlay.is_none() {
            let header = import.header.clone();
            let resume = move || Reader::resume(source, format, header.as_deref(), at);
            return Ok(blocking(resume).await??);
        }
        let (reader, header) = blocking(move || Reader::begin(source, format)).await??;
        let input = (self.hold.clone(), at, header, reader.offset());
        self.app
            .db()
            .write(input, |tx, (hold, at, header, offset)| {
                Box::pin(async move {
                    still_ours(tx, hold, *at).await?;
                    store::imports::reset(tx, hold.tenant, hold.import).await?;
                    let done = i64::try_from(*offset).unwrap_or(i64::MAX);
                    store::imports::set_header(tx, hold.tenant, hold.import, header.as_deref(), done).await?;
                    Ok::<_, Error>(())
                })
            })
            .await?;
        self.done = Progress { bytes: reader.offset(), counts: Counts::default() };
        Ok(reader)
    }

    async fn take_in(&mut self, batch: Batch, read_at: Timestamp) -> Result<()> {
        let first_row = self.done.counts.rows + if self.format == Format::Csv { 2 } else { 1 };
        let bytes = batch.bytes.end;
        let step = Step { hold: self.hold.clone(), batch, first_row, now: read_at };
        let counts = match &mut self.overlay {
            None => self.app.db().write(step, |tx, step| Box::pin(apply(tx, step))).await?,
            Some(overlay) => predict(self.app, step, overlay).await?,
        };
        self.done = Progress { bytes, counts: sum(self.done.counts, counts) };
        Ok(())
    }

    async fn release(&self) -> Result<()> {
        release(self.app, &self.hold).await
    }

    async fn finish(&self, error: Option<String>) -> Result<()> {
        let input = (self.hold.clone(), error, self.app.now().to_millis());
        self.app
            .db()
            .write(input, |tx, (hold, error, now)| {
                Box::pin(async move {
                    if store::imports::held(tx, hold.tenant, hold.import, &hold.holder).await?.is_none() {
                        return Err(taken_over());
                    }
                    Ok(store::imports::finish(tx, hold.tenant, hold.import, error.as_deref(), *now).await?)
                })
            })
            .await
    }
}

/// Anybody may go on with it.
pub(super) async fn release(app: &App, hold: &Hold) -> Result<()> {
    let input = (hold.clone(), app.now());
    let write = app.db().write(input, |tx, (hold, now)| {
        Box::pin(store::imports::release(tx, hold.tenant, hold.import, &hold.holder, *now))
    });
    Ok(write.await?)
}

type Read = Result<(Reader, Option<Batch>, Timestamp), Failure>;

fn read_next(mut reader: Reader, now: Timestamp) -> tokio::task::JoinHandle<Read> {
    tokio::task::spawn_blocking(move || {
        let batch = reader.next_batch(now)?;
        Ok((reader, batch, now))
    })
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> store::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| store::Error::Panicked)
}

/// The same decisions as `apply`, of which only what came of them is written down.
async fn predict(app: &App, step: Step, overlay: &mut Overlay) -> Result<Counts> {
    let step = std::sync::Arc::new(step);
    let looked = app.db().write(step.clone(), |tx, step| Box::pin(look_up(tx, step.hold.tenant, &step.batch)));
    let mut known = looked.await?;
    overlay.show_on(&mut known, &step.batch, step.now);
    let decision = decide(&step.batch, step.first_row, &known, step.now);
    for person in decision.people.iter().filter(|person| person.is_new() || person.is_changed()) {
        overlay.note(person, step.now);
    }
    let input = (step.clone(), Results::of(decision));
    app.db()
        .write(input, |tx, (step, results)| {
            Box::pin(async move {
                still_ours(tx, &step.hold, step.batch.bytes.start).await?;
                record(tx, step, results).await
            })
        })
        .await
}

fn sum(a: Counts, b: Counts) -> Counts {
    Counts {
        rows: a.rows + b.rows,
        created: a.created + b.created,
        updated: a.updated + b.updated,
        unchanged: a.unchanged + b.unchanged,
        rejected: a.rejected + b.rejected,
    }
}

/// Takes an import that nobody holds.
pub(super) async fn take(app: &App, hold: &Hold) -> Result<bool> {
    let now = app.now();
    let input = (hold.clone(), now, now.plus_seconds(LEASE_SECONDS));
    let write = app.db().write(input, |tx, (hold, now, until)| {
        Box::pin(store::imports::take(tx, hold.tenant, hold.import, &hold.holder, *now, *until))
    });
    Ok(write.await?)
}
