//! The façade over both engines: opening a database, reading, and transactions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use domain::TenantId;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_postgres::Row as PgRow;

use crate::base::param::check;
use crate::base::postgres;
use crate::base::postgres::driver::Postgres;
use crate::base::sqlite::driver::Sqlite;
use crate::base::traffic::TrafficCounters;
use crate::base::turns::{TenantCaps, WorkPool, in_place, may_read_here, timed};
use crate::base::tx::{Body, Ended, Transaction, TxNotes, TypedTransaction};
use crate::{BoundStatement, Failure, Param, PostgresOptions, Result, Row, Statement, Traffic};

/// Long reads that a tenant may have at a time; further ones wait.
const LONG_READS: usize = 2;
/// Rows of one read that are visited on the thread of the caller; more are visited in a turn at the compute threads.
const FEW_ROWS: usize = 2000;
/// How long a transaction of a batch may hold the writer of SQLite: `COMMITS` times as long as its commit takes, so
/// that commits cost little, within these bounds, so that others do not wait long.
const BATCH_TIME: (Duration, Duration) = (Duration::from_millis(8), Duration::from_millis(40));
const COMMITS: u32 = 4;

/// The location of the data.
#[derive(Clone)]
pub enum Location {
    Sqlite { file: PathBuf },
    Postgres { url: String, connections: usize },
}

impl std::fmt::Debug for Location {
    /// Hides the URL, which may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite { file } => write!(f, "Sqlite({})", file.display()),
            Self::Postgres { .. } => f.write_str("Postgres(…)"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

#[derive(Debug, Clone)]
pub struct Db(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    driver: Driver,
    appended: Appended,
    timer_set: Notify,
    traffic: Arc<TrafficCounters>,
    long_reads: TenantCaps,
    computing: WorkPool,
}

/// Event logs that transactions of this process appended to. For wake-ups only: a commit whose caller was cancelled, or
/// got an error, is not recorded.
#[derive(Debug, Default)]
struct Appended {
    tenants: Mutex<BTreeSet<TenantId>>,
    news: Notify,
}

impl Appended {
    fn record(&self, tenants: Vec<TenantId>) {
        if !tenants.is_empty() {
            self.tenants.lock().extend(tenants);
            self.news.notify_one();
        }
    }
}

#[derive(Debug)]
pub(crate) enum Driver {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Db {
    /// Opens the database; it is not migrated yet.
    pub fn open(location: &Location) -> Result<Self> {
        Self::open_with(location, PostgresOptions::default())
    }

    /// The same with these options, if it is PostgreSQL.
    pub fn open_with(location: &Location, options: PostgresOptions) -> Result<Self> {
        let traffic = Arc::new(TrafficCounters::default());
        let driver = match location {
            Location::Sqlite { file } => Driver::Sqlite(Sqlite::open(file)?),
            Location::Postgres { url, connections } => {
                Driver::Postgres(Postgres::open(url, *connections, options, Arc::clone(&traffic))?)
            }
        };
        let (long_reads, computing) = (TenantCaps::new(LONG_READS), WorkPool::for_computing("compute"));
        let (appended, timer_set) = (Appended::default(), Notify::new());
        Ok(Self(Arc::new(Inner { driver, appended, timer_set, traffic, long_reads, computing })))
    }

    /// The compute threads: for work that needs much computing, and for the reads of work that has read for long.
    pub fn computing(&self) -> &WorkPool {
        &self.0.computing
    }

    /// How long a transaction of a batch may take (`BatchSize`); none on PostgreSQL, where others do not wait for it.
    pub fn batch_time(&self) -> Option<Duration> {
        let (least, most) = BATCH_TIME;
        match self.driver() {
            Driver::Sqlite(sqlite) => Some((sqlite.commit_time() * COMMITS).clamp(least, most)),
            Driver::Postgres(_) => None,
        }
    }

    /// Counts of what this process has sent to the database and read from it.
    pub fn traffic(&self) -> Traffic {
        self.0.traffic.now()
    }

    /// Runs `refresh_statistics`, if this process has written enough rows since the last time (`postgres/statistics.rs`).
    pub async fn refresh_statistics_if_due(&self) -> Result<Vec<String>> {
        match self.driver() {
            Driver::Sqlite(_) => Ok(Vec::new()),
            Driver::Postgres(postgres) => postgres.refresh_statistics_if_due().await,
        }
    }

    /// PostgreSQL: analyzes the tables that have outgrown their statistics, and returns their names (`postgres/statistics.rs`).
    /// SQLite has no statistics here.
    pub async fn refresh_statistics(&self) -> Result<Vec<String>> {
        match self.driver() {
            Driver::Sqlite(_) => Ok(Vec::new()),
            Driver::Postgres(postgres) => postgres.refresh_statistics().await,
        }
    }

    pub fn engine(&self) -> Engine {
        match &self.0.driver {
            Driver::Sqlite(_) => Engine::Sqlite,
            Driver::Postgres(_) => Engine::Postgres,
        }
    }

    /// Whether Citus distributes the database over workers. Known from the first connection on.
    pub fn is_distributed(&self) -> bool {
        match self.driver() {
            Driver::Sqlite(_) => false,
            Driver::Postgres(postgres) => postgres.shards.is_distributed(),
        }
    }

    /// Whether the database plans a statement anew for each run: where Citus distributes it, and where statements are not
    /// prepared.
    pub(crate) fn plans_each_time(&self) -> bool {
        match self.driver() {
            Driver::Sqlite(_) => false,
            Driver::Postgres(postgres) => postgres.plans_each_time(),
        }
    }

    /// Addresses of the workers of a distributed database that did not respond lately. Statements of their tenants fail;
    /// reads that find work leave these tenants out.
    pub fn away(&self) -> Vec<String> {
        match self.driver() {
            Driver::Sqlite(_) => Vec::new(),
            Driver::Postgres(postgres) => postgres.shards.away(),
        }
    }

    pub(crate) fn driver(&self) -> &Driver {
        &self.0.driver
    }

    /// Returns when a transaction of this process that appended to an event log has committed, including one that
    /// committed since the last call.
    pub async fn appended(&self) {
        self.0.appended.news.notified().await;
    }

    /// Tenants whose event logs got entries from this process since the last call.
    pub fn take_appended(&self) -> BTreeSet<TenantId> {
        std::mem::take(&mut *self.0.appended.tenants.lock())
    }

    /// Returns when a transaction of this process that set a timer has committed, including one that committed since the
    /// last call.
    pub async fn timer_set(&self) {
        self.0.timer_set.notified().await;
    }

    /// Visits every row of a short read. If the present work has read for long already, the read is a turn at the
    /// compute threads (`turns/reads.rs`); fails with `Overloaded` if too many wait for theirs.
    pub async fn each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        mut visit: impl FnMut(&Row<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        check(params)?;
        match self.driver() {
            Driver::Sqlite(sqlite) if may_read_here() => {
                timed(|| self.each_on_sqlite(sqlite, statement, params, &mut visit))
            }
            Driver::Sqlite(sqlite) => self.each_in_turn(sqlite, statement, params, &mut visit).await,
            Driver::Postgres(postgres) => {
                let rows = postgres.fetch_all(statement, params).await?;
                if may_visit_here(rows.len()) {
                    return timed(|| postgres::visit_all(&rows, &mut visit));
                }
                self.visit_in_turn(&rows, &mut visit).await
            }
        }
    }

    /// Boxed, and not part of the futures of the many reads that are short.
    fn each_in_turn<'a>(
        &'a self,
        sqlite: &'a Sqlite,
        statement: &'a Statement,
        params: &'a [Param<'a>],
        visit: &'a mut (dyn FnMut(&Row<'_>) -> Result<()> + Send),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let _turn = self.0.computing.turn().await?;
            in_place(|| timed(|| self.each_on_sqlite(sqlite, statement, params, visit)))
        })
    }

    fn visit_in_turn<'a>(
        &'a self,
        rows: &'a [PgRow],
        visit: &'a mut (dyn FnMut(&Row<'_>) -> Result<()> + Send),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let _turn = self.0.computing.turn().await?;
            in_place(|| timed(|| postgres::visit_all(rows, visit)))
        })
    }

    fn each_on_sqlite(
        &self,
        sqlite: &Sqlite,
        statement: &Statement,
        params: &[Param<'_>],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut rows = 0;
        let outcome = sqlite.each(statement, params, &mut |row| {
            rows += 1;
            visit(row)
        });
        self.0.traffic.statements(1);
        self.0.traffic.sent(params);
        self.0.traffic.read(rows);
        outcome
    }

    pub async fn rows<T: Send>(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        let collect = |row: &Row<'_>| {
            all.push(map(row)?);
            Ok(())
        };
        self.each(statement, params, collect).await?;
        Ok(all)
    }

    /// The first row, converted by `map`.
    pub async fn row<T: Send>(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let mut first = None;
        self.each(statement, params, keep_first(&mut first, map)).await?;
        Ok(first)
    }

    /// A read that takes the database long; waits while the tenant has `LONG_READS` of them. On SQLite it blocks the
    /// thread; a multi-threaded runtime moves its other tasks to another thread first, so that they are not delayed.
    pub async fn long_each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        mut visit: impl FnMut(&Row<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        self.long_visit(statement, params, &mut visit).await
    }

    fn long_visit<'a>(
        &'a self,
        statement: &'a Statement,
        params: &'a [Param<'a>],
        visit: &'a mut (dyn FnMut(&Row<'_>) -> Result<()> + Send),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            check(params)?;
            let _turn = self.0.long_reads.turn().await;
            match self.driver() {
                Driver::Sqlite(sqlite) => in_place(|| timed(|| self.each_on_sqlite(sqlite, statement, params, visit))),
                Driver::Postgres(postgres) => {
                    let rows = postgres.fetch_all(statement, params).await?;
                    if may_visit_here(rows.len()) {
                        return timed(|| postgres::visit_all(&rows, visit));
                    }
                    self.visit_in_turn(&rows, visit).await
                }
            }
        })
    }

    pub async fn long_row<T: Send>(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let mut first = None;
        self.long_each(statement, params, keep_first(&mut first, map)).await?;
        Ok(first)
    }

    /// Checks that the engine accepts a statement, without running it.
    pub async fn prepare(&self, statement: &Statement) -> Result<()> {
        match self.driver() {
            Driver::Sqlite(sqlite) => sqlite.prepare(statement),
            Driver::Postgres(postgres) => postgres.prepare(statement).await,
        }
    }

    /// The engine's plan for a statement, as text, for tests and for finding slow statements.
    pub async fn explain(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<String>> {
        check(params)?;
        match self.driver() {
            Driver::Sqlite(sqlite) => sqlite.explain(statement, params),
            Driver::Postgres(postgres) => postgres.explain(statement, params).await,
        }
    }

    /// PostgreSQL: the plan that the connection has kept for a statement, or makes and keeps now, as a request's next
    /// run of the statement on this connection would. For tests, with a pool of one connection. SQLite: the same as
    /// `explain`.
    pub async fn explain_kept(&self, statement: &Statement) -> Result<Vec<String>> {
        match self.driver() {
            Driver::Sqlite(sqlite) => sqlite.explain(statement, &[]),
            Driver::Postgres(postgres) => postgres.explain_kept(statement).await,
        }
    }

    /// Runs the body of a transaction that only reads, and rolls it back. On SQLite it does not wait for the writer and
    /// does not hold it.
    pub async fn preview<I, T, E>(&self, input: I, body: impl Body<I, T, E>) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let transaction = Arc::new(TypedTransaction::new(input, body));
        self.run(transaction.clone(), Ending::Rollback).await?;
        transaction.take_outcome()
    }

    /// Runs a transaction and returns after its commit. The body may run more than once, because on PostgreSQL a
    /// conflict with another transaction repeats it; so it must have no effects outside of the database. It must await
    /// nothing but its statements, because SQLite refuses that (`ForeignAwait`). After the error `Unavailable` the
    /// transaction may be committed or not.
    pub async fn write<I, T, E>(&self, input: I, body: impl Body<I, T, E>) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let transaction = Arc::new(TypedTransaction::new(input, body));
        self.run(transaction.clone(), Ending::Commit).await?;
        transaction.take_outcome()
    }

    /// Like `write`, for one transaction of a batch (`BatchSize`): also returns how long the body has held the writer
    /// of SQLite.
    pub async fn write_timed<I, T, E>(&self, input: I, body: impl Body<I, T, E>) -> Result<(T, Duration), E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let transaction = Arc::new(TypedTransaction::new(input, body));
        let took = self.run(transaction.clone(), Ending::Commit).await?;
        Ok((transaction.take_outcome()?, took))
    }

    /// Boxed and without the types of the body, so that it is compiled once. Fails if the database does; how the body
    /// ended, the transaction has kept. Returns the time of the body, on SQLite.
    fn run(&self, transaction: Arc<dyn Transaction>, ending: Ending) -> BoxFuture<'_, Result<Duration>> {
        Box::pin(async move {
            let notes = Arc::new(TxNotes::new(Arc::clone(&self.0.traffic)));
            let ended = match (self.driver(), ending) {
                (Driver::Sqlite(sqlite), Ending::Rollback) => sqlite.preview(transaction, Arc::clone(&notes)).await?,
                (Driver::Sqlite(sqlite), Ending::Commit) => sqlite.write(transaction, Arc::clone(&notes)).await?,
                (Driver::Postgres(postgres), Ending::Rollback) => postgres.preview(&*transaction, &notes).await?,
                (Driver::Postgres(postgres), Ending::Commit) => postgres.write(&*transaction, &notes).await?,
            };
            if ended == Ended::Done && ending == Ending::Commit {
                self.0.appended.record(notes.take_appended());
                if notes.has_set_timer() {
                    self.0.timer_set.notify_one();
                }
            }
            Ok(notes.time())
        })
    }

    /// Runs a transaction whose statements and values are known before it begins, and returns the rows of each
    /// statement. All of them see the same state, and what the ones before them changed. On PostgreSQL it is one round
    /// trip, `BEGIN` and `COMMIT` included.
    pub async fn write_list<T: Send + 'static>(
        &self,
        list: Vec<BoundStatement>,
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        list.iter().try_for_each(|(_, params)| check(params))?;
        match self.driver() {
            Driver::Sqlite(_) => {
                let run = self.write((list, map), |tx, (list, map)| {
                    Box::pin(async move {
                        let mut all = Vec::with_capacity(list.len());
                        for (statement, params) in list {
                            if statement.returns_rows() {
                                all.push(tx.rows(statement, params, map).await?);
                            } else {
                                tx.execute(statement, params).await?;
                                all.push(Vec::new());
                            }
                        }
                        Ok(all)
                    })
                });
                run.await
            }
            Driver::Postgres(postgres) => {
                let all = postgres.write_list(&list).await?;
                all.iter().map(|rows| rows.iter().map(|pg| map(&postgres::row(pg))).collect()).collect()
            }
        }
    }
}

/// Whether the rows of a read may be visited on the thread of the caller.
fn may_visit_here(rows: usize) -> bool {
    rows <= FEW_ROWS && may_read_here()
}

/// What becomes of a transaction whose body succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Commit,
    Rollback,
}

fn keep_first<T: Send>(
    first: &mut Option<T>,
    mut map: impl FnMut(&Row<'_>) -> Result<T> + Send,
) -> impl FnMut(&Row<'_>) -> Result<()> + Send {
    move |row| {
        if first.is_none() {
            *first = Some(map(row)?);
        }
        Ok(())
    }
}
