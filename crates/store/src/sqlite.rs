//! SQLite: one writer thread that commits in groups, and readers on the caller's thread.
//!
//! The writer takes the waiting transactions (at most `MAX_GROUP`), runs each in its own savepoint inside one
//! transaction, commits, and only then answers the callers. Invariant: no caller gets a success before the commit is
//! durable (`synchronous = FULL`). A body that fails rolls back to its savepoint and does not affect the others; if the
//! commit fails, all of the group get an error. After a crash either all successful bodies of the group are in the
//! database or none.
//!
//! A body runs on the writer thread, so it must not await anything but its statements: such a body is refused
//! (`ForeignAwait`). `read_lock` makes concurrent reads cheap.

mod read_lock;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

use read_lock::ReadLock;

use crate::audit::write_chained;
use crate::tx::{AppendedTo, Body, BoxedBody, Tx, TxOf};
use crate::value::{RowOf, check};
use crate::{Error, Failure, Param, Result, Row, Statement};

/// Most transactions that share one commit: enough that the cost of an fsync hardly counts.
const MAX_GROUP: usize = 256;
/// Idle read connections to keep; each has its own page cache.
const MAX_IDLE_READERS: usize = 8;
/// Longest wait for the write lock, which a command in another process may hold for a batch.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(crate) struct Sqlite {
    path: PathBuf,
    jobs: mpsc::Sender<Job>,
    readers: Mutex<Vec<Connection>>,
    read_lock: ReadLock,
}

/// Runs a body in the group's transaction, or gets the error with which that transaction failed to begin. Returns a
/// function that answers the caller after the commit.
type Job = Box<dyn FnOnce(Result<&Mutex<Connection>>) -> Settle + Send>;
type Settle = Box<dyn FnOnce(Result<()>) + Send>;

impl Sqlite {
    pub fn open(path: &Path) -> Result<Self> {
        let connection = connect(path)?;
        let (jobs, queue) = mpsc::channel();
        let writer = std::thread::Builder::new().name("sqlite-writer".to_owned());
        writer
            .spawn(move || write_in_groups(&Mutex::new(connection), &queue))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { path: path.to_owned(), jobs, readers: Mutex::new(Vec::new()), read_lock: ReadLock::start(path)? })
    }

    /// A short read on the calling thread: a point read takes microseconds, less than a switch to another thread.
    pub fn each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.read_lock.note_read();
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

    pub(crate) fn reader(&self) -> Result<Connection> {
        let kept = self.readers.lock().pop();
        kept.map_or_else(|| connect(&self.path), Ok)
    }

    /// Returns a connection to the pool, or closes it if the pool is full after many concurrent reads.
    pub(crate) fn give_back(&self, reader: Connection) {
        let mut readers = self.readers.lock();
        if readers.len() < MAX_IDLE_READERS {
            readers.push(reader);
        }
    }

    pub async fn write<I, T, E>(&self, input: I, body: impl Body<I, T, E>, appended: Arc<AppendedTo>) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let outcome = connection.map_err(E::from).and_then(|open| run_in_savepoint(open, &input, &body, &appended));
            Box::new(move |committed| {
                // The caller may have been cancelled; its transaction has been committed or rolled back all the same.
                let _ = reply.send(committed.map_err(E::from).and(outcome));
            })
        });
        self.jobs.send(job).map_err(|_| writer_gone())?;
        answer.await.map_err(|_| writer_gone())?
    }
}

fn writer_gone() -> Error {
    Error::Unavailable("the writer thread has ended".to_owned())
}

fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
    let set_up = || {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // In bytes; has an effect only before the first table exists. Rows of about a kilobyte fit larger pages better.
        connection.pragma_update(None, "page_size", 8192)?;
        // Stable plans: otherwise SQLite may consider bound values and prepare a statement again when they change.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // FULL: a committed write survives a power failure, not only a crash of the process.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "cache_size", -4000)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
        connection.set_prepared_statement_cache_capacity(512);
        rusqlite::Result::Ok(())
    };
    set_up().map_err(|error| Error::sqlite("open", &error))?;
    Ok(connection)
}

/// The writer thread: runs the waiting jobs in one transaction, commits, and then answers their callers.
fn write_in_groups(connection: &Mutex<Connection>, queue: &mpsc::Receiver<Job>) {
    while let Ok(first) = queue.recv() {
        if let Err(error) = batch(connection, "BEGIN IMMEDIATE") {
            first(Err(error))(Ok(()));
            continue;
        }
        let mut settles = vec![first(Ok(connection))];
        while settles.len() < MAX_GROUP
            && in_transaction(connection)
            && let Ok(next) = queue.try_recv()
        {
            settles.push(next(Ok(connection)));
        }
        settle(connection, settles);
    }
}

/// False after SQLite rolled back by itself, for example on a full disk. The group must end there: a further job would
/// run outside of the transaction. The commit then fails, and all callers of the group get an error.
fn in_transaction(connection: &Mutex<Connection>) -> bool {
    !connection.lock().is_autocommit()
}

fn settle(connection: &Mutex<Connection>, settles: Vec<Settle>) {
    let committed = batch(connection, "COMMIT");
    if committed.is_err() {
        let _ = batch(connection, "ROLLBACK");
    }
    for settle in settles {
        settle(committed.as_ref().copied().map_err(|error| Error::Unavailable(error.to_string())));
    }
}

fn run_in_savepoint<I, T, E: Failure>(
    connection: &Mutex<Connection>,
    input: &I,
    body: &impl Body<I, T, E>,
    appended: &AppendedTo,
) -> Result<T, E> {
    batch(connection, "SAVEPOINT body")?;
    // The connection stays usable after a panic in the body: SQLite keeps its own state.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(connection, input, body, appended)));
    let outcome = outcome.unwrap_or_else(|_| Err(Error::Panicked.into()));
    if outcome.is_err() {
        batch(connection, "ROLLBACK TO body")?;
    }
    batch(connection, "RELEASE body")?;
    outcome
}

/// Runs a body with a single poll: on SQLite its statements are ready at once. A pending body awaits something else
/// while it holds the only write lock, and is refused.
fn run<I, T, E: Failure>(
    connection: &Mutex<Connection>,
    input: &I,
    body: &impl Body<I, T, E>,
    appended: &AppendedTo,
) -> Result<T, E> {
    appended.forget_audit();
    let mut tx = Tx(TxOf::Sqlite(connection), appended);
    let outcome = finish_at_once(body(&mut tx, input))?;
    if appended.has_audit() {
        let mut tx = Tx(TxOf::Sqlite(connection), appended);
        finish_at_once(Box::pin(write_chained(&mut tx)))?;
    }
    Ok(outcome)
}

fn finish_at_once<T, E: Failure>(mut future: BoxedBody<'_, T, E>) -> Result<T, E> {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => Err(Error::ForeignAwait.into()),
    }
}

pub(crate) fn batch(connection: &Mutex<Connection>, sql: &'static str) -> Result<()> {
    let connection = connection.lock();
    let mut prepared = connection.prepare_cached(sql).map_err(|error| Error::sqlite(sql, &error))?;
    prepared.execute([]).map(drop).map_err(|error| Error::sqlite(sql, &error))
}

pub(crate) fn each(
    connection: &Connection,
    statement: &Statement,
    params: &[Param<'_>],
    visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let wrong = |error: rusqlite::Error| Error::sqlite(statement.name(), &error);
    let mut prepared = connection.prepare_cached(statement.for_sqlite()).map_err(wrong)?;
    let mut rows = prepared.query(rusqlite::params_from_iter(params)).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        visit(&Row(RowOf::Sqlite(row)))?;
    }
    Ok(())
}

pub(crate) fn execute(connection: &Connection, statement: &Statement, params: &[Param<'_>]) -> Result<u64> {
    let wrong = |error: rusqlite::Error| Error::sqlite(statement.name(), &error);
    let mut prepared = connection.prepare_cached(statement.for_sqlite()).map_err(wrong)?;
    let changed = prepared.execute(rusqlite::params_from_iter(params)).map_err(wrong)?;
    Ok(u64::try_from(changed).unwrap_or(0))
}

/// Executes a statement for many rows; prepares it once.
pub(crate) fn execute_each<'p>(
    connection: &Connection,
    statement: &Statement,
    rows: impl Iterator<Item = impl AsRef<[Param<'p>]>>,
) -> Result<u64> {
    let wrong = |error: rusqlite::Error| Error::sqlite(statement.name(), &error);
    let mut prepared = connection.prepare_cached(statement.for_sqlite()).map_err(wrong)?;
    let mut changed = 0;
    for row in rows {
        check(row.as_ref())?;
        changed += prepared.execute(rusqlite::params_from_iter(row.as_ref())).map_err(wrong)?;
    }
    Ok(u64::try_from(changed).unwrap_or(0))
}

/// The plan as a tree, indented by depth. Parameters may be missing, since plans do not depend on bound values.
fn explain(connection: &Connection, statement: &Statement, params: &[Param<'_>]) -> rusqlite::Result<Vec<String>> {
    let mut prepared = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.for_sqlite()))?;
    for (i, param) in params.iter().enumerate() {
        prepared.raw_bind_parameter(i + 1, param)?;
    }
    let mut depths = HashMap::new();
    let mut lines = Vec::new();
    let mut rows = prepared.raw_query();
    while let Some(row) = rows.next()? {
        let (id, parent, detail): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(3)?);
        let depth = depths.get(&parent).map_or(0, |above| above + 1);
        depths.insert(id, depth);
        lines.push(format!("{}{detail}", "  ".repeat(depth)));
    }
    Ok(lines)
}
