//! SQLite: one writer thread that commits in groups, and readers on the caller's thread.
//!
//! The writer takes the waiting transactions in turns by tenant (`turns`), at most `MAX_GROUP` and for about
//! `GROUP_TIME`, runs each in its own savepoint inside one transaction, commits, and only then answers the callers. A
//! long transaction is a group of its own, so that short ones of other tenants do not wait for its end and its commit;
//! a commit is charged to the tenants of its group. Work with many rows bounds its transactions by their time
//! (`base/batch_size.rs`): a transaction cannot be interrupted, so its length is what all others wait for. Invariant:
//! no caller gets a success before the commit is durable (`synchronous = FULL`). A body that fails rolls back to its
//! savepoint and does not affect the others; if the commit fails, all of the group get an error. After a crash either
//! all successful bodies of the group are in the database or none.
//!
//! A body runs on the writer thread, so it must not await anything but its statements: such a body is refused
//! (`ForeignAwait`). `read_lock` makes concurrent reads cheap.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::base::sqlite::connection::{batch, connect, each, explain, make_private};
use crate::base::sqlite::read_lock::ReadLock;

use crate::base::turns::{FairQueue, Party, WorkPool, party};
use crate::base::tx::{Ended, Transaction, Tx, TxNotes, TxOf};
use crate::{Error, Param, Result, Row, Statement};

/// Most transactions that share one commit: enough that the cost of an fsync hardly counts.
const MAX_GROUP: usize = 256;
/// A group that has run for this long is committed.
const GROUP_TIME: Duration = Duration::from_millis(10);
/// A transaction begins a group of its own if the tenant's last one took this long: it needs no other to share its
/// commit with.
const LONG: Duration = Duration::from_millis(2);
/// Most idle read connections that are kept open; each holds memory for its own page cache.
const MAX_IDLE_READERS: usize = 8;

#[derive(Debug)]
pub(crate) struct Sqlite {
    jobs: Jobs,
    readers: Arc<Readers>,
    read_lock: ReadLock,
    /// Threads for transactions that only read and take long (`preview`).
    previews: WorkPool,
    /// How long a commit takes lately, in nanoseconds.
    commit_time: Arc<AtomicU64>,
}

/// Idle read connections.
#[derive(Debug)]
struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

/// The transactions that wait for the writer. The writer thread ends when this is dropped.
#[derive(Debug)]
struct Jobs(Arc<JobQueue>);

struct JobQueue {
    state: Mutex<JobState>,
    news: Condvar,
}

impl std::fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JobQueue")
    }
}

#[derive(Default)]
struct JobState {
    waiting: FairQueue<Job>,
    closed: bool,
}

/// Runs a body in the group's transaction, or takes the error if that transaction could not begin. Returns a function
/// that answers the caller after the commit.
type Job = Box<dyn FnOnce(Result<&Mutex<Connection>>) -> Settle + Send>;
type Settle = Box<dyn FnOnce(Result<()>) + Send>;

impl Sqlite {
    pub fn open(path: &Path) -> Result<Self> {
        make_private(path).map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
        let connection = connect(path)?;
        let queue = Arc::new(JobQueue { state: Mutex::default(), news: Condvar::new() });
        let writer = std::thread::Builder::new().name("sqlite-writer".to_owned());
        let jobs = Jobs(Arc::clone(&queue));
        let commit_time = Arc::new(AtomicU64::new(0));
        let measured = Arc::clone(&commit_time);
        writer
            .spawn(move || write_in_groups(&Mutex::new(connection), &queue, &measured))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self {
            jobs,
            readers: Arc::new(Readers { path: path.to_owned(), idle: Mutex::default() }),
            read_lock: ReadLock::start(path)?,
            previews: WorkPool::for_computing("sqlite-preview"),
            commit_time,
        })
    }

    /// How long a commit takes lately.
    pub fn commit_time(&self) -> Duration {
        Duration::from_nanos(self.commit_time.load(Ordering::Relaxed))
    }

    /// A short read on the calling thread: a point read takes microseconds, less than a switch to another thread.
    pub fn each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.read_lock.record_read();
        let reader = self.reader()?;
        let outcome = each(&reader, statement, params, visit);
        self.give_back(reader);
        outcome
    }

    pub fn prepare(&self, statement: &Statement) -> Result<()> {
        let reader = self.reader()?;
        let prepared = reader.prepare(statement.for_sqlite()).map(drop);
        self.give_back(reader);
        prepared.map_err(|error| Error::sqlite(statement.name(), &error))
    }

    pub fn explain(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<String>> {
        let reader = self.reader()?;
        let plan = explain(&reader, statement, params);
        self.give_back(reader);
        plan.map_err(|error| Error::sqlite(statement.name(), &error))
    }

    /// The database file.
    pub(crate) fn path(&self) -> &Path {
        &self.readers.path
    }

    pub(crate) fn reader(&self) -> Result<Connection> {
        self.readers.take()
    }

    pub(crate) fn give_back(&self, reader: Connection) {
        self.readers.give_back(reader);
    }

    pub async fn write(&self, transaction: Arc<dyn Transaction>, notes: Arc<TxNotes>) -> Result<Ended> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            if reply.is_closed() {
                // The caller was cancelled before its turn: the body does not run.
                return Box::new(|_| {});
            }
            let began = Instant::now();
            let ended = connection.and_then(|open| run_in_savepoint(open, &*transaction, &notes));
            notes.set_time(began.elapsed());
            Box::new(move |committed| {
                // The caller may have been cancelled; its transaction has been committed or rolled back all the same.
                let _ = reply.send(committed.and(ended));
            })
        });
        self.jobs.push(job);
        answer.await.map_err(|_| writer_gone())?
    }

    /// Runs a body on a connection for reading, beside the writer and on a thread of a pool, and rolls back.
    pub async fn preview(&self, transaction: Arc<dyn Transaction>, notes: Arc<TxNotes>) -> Result<Ended> {
        let readers = Arc::clone(&self.readers);
        let work = move || {
            let reader = Mutex::new(readers.take()?);
            batch(&reader, "BEGIN")?;
            let ended = catch_panic(|| run(&reader, &*transaction, &notes));
            batch(&reader, "ROLLBACK")?;
            readers.give_back(reader.into_inner());
            ended
        };
        self.previews.run(work).await?
    }
}

impl Readers {
    fn take(&self) -> Result<Connection> {
        let kept = self.idle.lock().pop();
        kept.map_or_else(|| connect(&self.path), Ok)
    }

    /// Keeps a connection for the next read, or closes it if `MAX_IDLE_READERS` are kept already.
    fn give_back(&self, reader: Connection) {
        let mut idle = self.idle.lock();
        if idle.len() < MAX_IDLE_READERS {
            idle.push(reader);
        }
    }
}

impl Jobs {
    fn push(&self, job: Job) {
        self.0.state.lock().waiting.push(party(), job);
        self.0.news.notify_one();
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.0.state.lock().closed = true;
        self.0.news.notify_one();
    }
}

impl JobQueue {
    /// Waits for the next transaction, which begins a group; none when the database is closed and no transaction waits.
    fn wait(&self) -> Option<(Party, Job)> {
        let mut state = self.state.lock();
        loop {
            if let Some(next) = state.waiting.pop() {
                return Some(next);
            }
            if state.closed {
                return None;
            }
            self.news.wait(&mut state);
        }
    }

    /// The next transaction, to join the present group. None if none waits, or if the last one of the tenant whose turn
    /// it is was `LONG`.
    fn join(&self) -> Option<(Party, Job)> {
        let mut state = self.state.lock();
        let (_, last) = state.waiting.next_party()?;
        if last >= LONG { None } else { state.waiting.pop() }
    }

    fn charge(&self, party: Party, took: Duration) {
        self.state.lock().waiting.charge(party, took);
    }

    /// Charges a commit to the tenants of its group, each in proportion to the time of its transactions.
    fn charge_commit(&self, group: &[(Party, Duration)], took: Duration) {
        let all: Duration = group.iter().map(|(_, body)| *body).sum();
        let mut state = self.state.lock();
        for (party, body) in group {
            let share = took.as_nanos().saturating_mul(body.as_nanos()) / all.as_nanos().max(1);
            state.waiting.add(*party, Duration::from_nanos(u64::try_from(share).unwrap_or(u64::MAX)));
        }
    }
}

fn writer_gone() -> Error {
    Error::Unavailable("the writer thread has ended".to_owned())
}

/// The writer thread: runs the waiting jobs in one transaction, commits, and then answers their callers.
fn write_in_groups(connection: &Mutex<Connection>, queue: &JobQueue, commit_time: &AtomicU64) {
    while let Some(first) = queue.wait() {
        if let Err(error) = batch(connection, "BEGIN IMMEDIATE") {
            (first.1)(Err(error))(Ok(()));
            continue;
        }
        let began = Instant::now();
        let (mut group, mut settles) = (Vec::new(), Vec::new());
        let mut next = Some(first);
        while let Some((party, job)) = next {
            let began_job = Instant::now();
            settles.push(job(Ok(connection)));
            let took = began_job.elapsed();
            queue.charge(party, took);
            group.push((party, took));
            let goes_on = settles.len() < MAX_GROUP && began.elapsed() < GROUP_TIME && in_transaction(connection);
            next = if goes_on { queue.join() } else { None };
        }
        let began = Instant::now();
        let committed = commit(connection);
        let took = began.elapsed();
        record_time(commit_time, took);
        queue.charge_commit(&group, took);
        for settle in settles {
            settle(committed.as_ref().copied().map_err(|error| Error::Unavailable(error.to_string())));
        }
    }
}

/// Moves the mean of the last commits by an eighth towards this one.
fn record_time(mean: &AtomicU64, took: Duration) {
    let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX / 8);
    let before = mean.load(Ordering::Relaxed);
    mean.store(before - before / 8 + took / 8, Ordering::Relaxed);
}

/// False after SQLite rolled back by itself, for example on a full disk. The group must end there: a further job would
/// run outside of the transaction. The commit then fails, and all callers of the group get an error.
fn in_transaction(connection: &Mutex<Connection>) -> bool {
    !connection.lock().is_autocommit()
}

fn commit(connection: &Mutex<Connection>) -> Result<()> {
    let committed = batch(connection, "COMMIT");
    if committed.is_err() {
        let _ = batch(connection, "ROLLBACK");
    }
    committed
}

fn run_in_savepoint(connection: &Mutex<Connection>, transaction: &dyn Transaction, notes: &TxNotes) -> Result<Ended> {
    batch(connection, "SAVEPOINT body")?;
    let ended = catch_panic(|| run(connection, transaction, notes));
    if !matches!(ended, Ok(Ended::Done)) {
        batch(connection, "ROLLBACK TO body")?;
    }
    batch(connection, "RELEASE body")?;
    ended
}

/// The connection stays usable after a panic in the body: SQLite keeps its own state.
fn catch_panic(run: impl FnOnce() -> Result<Ended>) -> Result<Ended> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or(Err(Error::Panicked))
}

/// Runs a body with a single poll: on SQLite its statements are ready at once. A pending body awaits something else
/// while it holds the only write lock, and is refused.
fn run(connection: &Mutex<Connection>, transaction: &dyn Transaction, notes: &TxNotes) -> Result<Ended> {
    notes.forget_audit();
    let mut tx = Tx(TxOf::Sqlite(connection), notes);
    let ended = finish_at_once(transaction.run(&mut tx))?;
    if ended == Ended::Done
        && let Some(finish) = notes.take_before_commit()
    {
        finish_at_once(finish(&mut Tx(TxOf::Sqlite(connection), notes)))??;
    }
    Ok(ended)
}

fn finish_at_once<T>(mut future: BoxFuture<'_, T>) -> Result<T> {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Ok(outcome),
        Poll::Pending => Err(Error::ForeignAwait),
    }
}
