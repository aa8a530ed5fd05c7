//! A transaction as its body sees it. The same body works on either engine; on PostgreSQL it may run several times.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::TenantId;
use domain::identity::audit::AuditEntry;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use crate::base::param::check;
use crate::base::traffic::TrafficCounters;
use crate::base::{postgres, sqlite};
use crate::{Error, Failure, Param, Result, Row, Statement};

/// The body of a transaction. It borrows the transaction and its input while it runs.
pub trait Body<I, T, E>:
    for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + Sync + 'static
{
}

impl<I, T, E, F> Body<I, T, E> for F where
    F: for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxFuture<'t, Result<T, E>> + Send + Sync + 'static
{
}

/// A transaction as the drivers see it, without the types of its body: it runs, and keeps the outcome for its caller.
/// So the drivers are compiled once, and not for every body.
pub(crate) trait Transaction: Send + Sync {
    fn run<'t>(&'t self, tx: &'t mut Tx<'t>) -> BoxFuture<'t, Ended>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Done,
    Failed,
    /// Failed for a reason that may be gone in the next run.
    Conflicted,
}

pub(crate) struct TypedTransaction<I, T, E, B> {
    input: I,
    body: B,
    outcome: Mutex<Option<Result<T, E>>>,
}

impl<I, T, E: Failure, B> TypedTransaction<I, T, E, B> {
    pub const fn new(input: I, body: B) -> Self {
        Self { input, body, outcome: Mutex::new(None) }
    }

    /// The outcome of the last run.
    pub fn take_outcome(&self) -> Result<T, E> {
        self.outcome.lock().take().unwrap_or_else(|| Err(Error::Panicked.into()))
    }
}

impl<I, T, E, B> Transaction for TypedTransaction<I, T, E, B>
where
    I: Send + Sync,
    T: Send,
    E: Failure,
    B: Body<I, T, E>,
{
    fn run<'t>(&'t self, tx: &'t mut Tx<'t>) -> BoxFuture<'t, Ended> {
        let keep = |outcome: Result<T, E>| {
            let ended = match &outcome {
                Ok(_) => Ended::Done,
                Err(error) if error.store_error().is_some_and(Error::is_transient) => Ended::Conflicted,
                Err(_) => Ended::Failed,
            };
            *self.outcome.lock() = Some(outcome);
            ended
        };
        Box::pin((self.body)(tx, &self.input).map(keep))
    }
}

#[derive(Debug)]
pub struct Tx<'a>(pub(crate) TxOf<'a>, pub(crate) &'a TxNotes);

/// The last work of a transaction whose body has succeeded.
type BeforeCommit = for<'t, 'c> fn(&'t mut Tx<'c>) -> BoxFuture<'t, Result<()>>;

/// What the body of a transaction collects for the time after its statements.
#[derive(Debug)]
pub(crate) struct TxNotes {
    /// The tenants to whose event logs it appends. Their numbering is woken after the commit.
    events: Mutex<Vec<TenantId>>,
    /// The entries of audit logs, written when the body has succeeded (`identity/audit.rs`).
    audit: Mutex<Vec<(TenantId, AuditEntry)>>,
    /// Writes the entries. None without entries.
    before_commit: Mutex<Option<BeforeCommit>>,
    /// Whether it sets a timer. The worker that fires timers is woken after the commit.
    timer_set: AtomicBool,
    /// Counts the statements, rows and bytes of the transaction.
    traffic: Arc<TrafficCounters>,
    /// How long the body has held the writer of SQLite.
    time: Mutex<Duration>,
}

impl TxNotes {
    pub fn new(traffic: Arc<TrafficCounters>) -> Self {
        Self {
            events: Mutex::default(),
            audit: Mutex::default(),
            before_commit: Mutex::default(),
            timer_set: AtomicBool::default(),
            traffic,
            time: Mutex::default(),
        }
    }

    pub fn set_time(&self, took: Duration) {
        *self.time.lock() = took;
    }

    /// How long the body has held the writer of SQLite; zero on PostgreSQL.
    pub fn time(&self) -> Duration {
        *self.time.lock()
    }

    /// Whether the transaction has set a timer.
    pub fn has_set_timer(&self) -> bool {
        self.timer_set.load(Ordering::Relaxed)
    }

    pub fn take_appended(&self) -> Vec<TenantId> {
        std::mem::take(&mut *self.events.lock())
    }

    pub fn traffic(&self) -> &TrafficCounters {
        &self.traffic
    }

    /// Drops the entries of a body that failed; on PostgreSQL the body may run again.
    pub fn forget_audit(&self) {
        self.audit.lock().clear();
        self.before_commit.lock().take();
    }

    /// The work that is left when the body has succeeded, if there is any. The driver runs it and then commits.
    pub fn take_before_commit(&self) -> Option<BeforeCommit> {
        self.before_commit.lock().take()
    }
}

pub(crate) enum TxOf<'a> {
    Sqlite(&'a Mutex<rusqlite::Connection>),
    Postgres(&'a postgres::PgTransaction<'a>),
}

impl std::fmt::Debug for TxOf<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tx")
    }
}

impl Tx<'_> {
    pub(crate) const fn is_sqlite(&self) -> bool {
        matches!(self.0, TxOf::Sqlite(_))
    }

    fn count_sqlite(&self, statements: usize, params: &[Param<'_>], read: usize, wrote: u64) {
        let traffic = self.1.traffic();
        traffic.statements(statements);
        traffic.sent(params);
        traffic.read(read);
        traffic.wrote(wrote);
    }

    /// Notes the tenant, so that the numbering of its event log is woken after the commit.
    pub(crate) fn appended(&self, tenant: TenantId) {
        let mut tenants = self.1.events.lock();
        if !tenants.contains(&tenant) {
            tenants.push(tenant);
        }
    }

    /// Notes that a timer was set, so that the worker that fires timers is woken after the commit.
    pub(crate) fn timer_set(&self) {
        self.1.timer_set.store(true, Ordering::Relaxed);
    }

    pub(crate) fn queue_audit(&self, tenant: TenantId, entry: AuditEntry) {
        self.1.audit.lock().push((tenant, entry));
    }

    /// Sets the work that runs when the body has succeeded, as its last statements.
    pub(crate) fn before_commit(&self, work: BeforeCommit) {
        *self.1.before_commit.lock() = Some(work);
    }

    pub(crate) fn take_audit(&self) -> Vec<(TenantId, AuditEntry)> {
        std::mem::take(&mut *self.1.audit.lock())
    }

    /// All rows, converted by `map`.
    pub async fn rows<T: Send>(
        &mut self,
        statement: &Statement,
        params: &[Param<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        let mut visit = |_, row: &Row<'_>| {
            all.push(map(row)?);
            Ok(())
        };
        match &self.0 {
            TxOf::Sqlite(connection) => self.each_on_sqlite(connection, &[(statement, params)], &mut visit)?,
            TxOf::Postgres(tx) => tx.each(statement, params, &mut visit).await?,
        }
        Ok(all)
    }

    /// The first row, converted by `map`.
    pub async fn row<T: Send>(
        &mut self,
        statement: &Statement,
        params: &[Param<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        Ok(self.rows(statement, params, map).await?.into_iter().next())
    }

    /// Returns the number of changed rows.
    pub async fn execute(&mut self, statement: &Statement, params: &[Param<'_>]) -> Result<u64> {
        match &self.0 {
            TxOf::Sqlite(connection) => {
                check(params)?;
                let changed = sqlite::connection::execute(&connection.lock(), statement, params)?;
                self.count_sqlite(1, params, 0, changed);
                Ok(changed)
            }
            TxOf::Postgres(tx) => tx.execute(statement, params).await,
        }
    }

    /// Executes a statement for many rows. On SQLite in a loop; on PostgreSQL a plain insert is one statement over
    /// arrays, and any other statement is sent for each row, pipelined. Returns the number of changed rows.
    pub async fn execute_many<'p, R>(
        &mut self,
        statement: &Statement,
        rows: impl IntoIterator<Item = R, IntoIter: Send> + Send,
    ) -> Result<u64>
    where
        R: AsRef<[Param<'p>]> + Send + Sync,
    {
        let text = statement.text();
        let inserts_only = text.starts_with("INSERT INTO ") && !text.contains("DO UPDATE");
        self.execute_rows(statement, rows, inserts_only).await
    }

    /// Like `execute_many`, for rows no two of which concern the same stored row: on PostgreSQL also an update, a
    /// delete or an upsert is then one statement over arrays.
    pub async fn execute_set<'p, R>(
        &mut self,
        statement: &Statement,
        rows: impl IntoIterator<Item = R, IntoIter: Send> + Send,
    ) -> Result<u64>
    where
        R: AsRef<[Param<'p>]> + Send + Sync,
    {
        self.execute_rows(statement, rows, true).await
    }

    /// Like `execute_set`, for a statement whose outcome the body does not need. On PostgreSQL it is sent before the
    /// next statement, or together with the commit, whose round trip it shares; if it fails, the transaction fails.
    pub async fn execute_later<'p, R>(
        &mut self,
        statement: &'static Statement,
        rows: impl IntoIterator<Item = R, IntoIter: Send> + Send,
    ) -> Result<()>
    where
        R: AsRef<[Param<'p>]> + Send + Sync,
    {
        let TxOf::Postgres(tx) = &self.0 else { return self.execute_many(statement, rows).await.map(drop) };
        let to_static = |row: R| row.as_ref().iter().map(Param::to_static).collect();
        let rows: Vec<Vec<Param<'static>>> = rows.into_iter().map(to_static).collect();
        rows.iter().try_for_each(|params| check(params))?;
        tx.queue(statement, rows);
        Ok(())
    }

    /// Reads with several statements, on PostgreSQL in one round trip. `visit` gets each row with the index of its
    /// statement.
    pub async fn each_of(
        &mut self,
        reads: &[(&Statement, &[Param<'_>])],
        mut visit: impl FnMut(usize, &Row<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        match &self.0 {
            TxOf::Sqlite(connection) => self.each_on_sqlite(connection, reads, &mut visit),
            TxOf::Postgres(tx) => tx.each_of(reads, &mut visit).await,
        }
    }

    fn each_on_sqlite(
        &self,
        connection: &Mutex<rusqlite::Connection>,
        reads: &[(&Statement, &[Param<'_>])],
        visit: &mut dyn FnMut(usize, &Row<'_>) -> Result<()>,
    ) -> Result<()> {
        reads.iter().try_for_each(|(_, params)| check(params))?;
        for (index, (statement, params)) in reads.iter().enumerate() {
            let mut count = 0;
            sqlite::connection::each(&connection.lock(), statement, params, &mut |row| {
                count += 1;
                visit(index, row)
            })?;
            self.count_sqlite(1, params, count, 0);
        }
        Ok(())
    }

    async fn execute_rows<'p, R>(
        &mut self,
        statement: &Statement,
        rows: impl IntoIterator<Item = R, IntoIter: Send> + Send,
        over_arrays: bool,
    ) -> Result<u64>
    where
        R: AsRef<[Param<'p>]> + Send + Sync,
    {
        let mut rows = rows.into_iter();
        match &self.0 {
            TxOf::Sqlite(connection) => {
                let mut feed = |run: &mut RunRow<'_>| rows.try_for_each(|row| run(row.as_ref()));
                self.execute_each_on_sqlite(connection, statement, &mut feed)
            }
            TxOf::Postgres(tx) => {
                let rows: Vec<R> = rows.collect();
                let rows: Vec<&[Param<'_>]> = rows.iter().map(AsRef::as_ref).collect();
                tx.execute_rows(statement, &rows, over_arrays).await
            }
        }
    }

    /// Executes a statement for each row that `feed` passes on.
    fn execute_each_on_sqlite(
        &self,
        connection: &Mutex<rusqlite::Connection>,
        statement: &Statement,
        feed: &mut dyn FnMut(&mut RunRow<'_>) -> Result<()>,
    ) -> Result<u64> {
        let (mut count, mut changed) = (0, 0);
        sqlite::connection::execute_each(&connection.lock(), statement, |run| {
            feed(&mut |params| {
                count += 1;
                self.1.traffic.sent(params);
                changed += run(params)?;
                Ok(())
            })
        })?;
        self.count_sqlite(count, &[], 0, changed);
        Ok(changed)
    }
}

/// Executes the statement of a batch for one row.
type RunRow<'r> = dyn FnMut(&[Param<'_>]) -> Result<()> + 'r;
