//! The façade over both engines: opening a database, reading, and transactions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use domain::TenantId;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::base::param::check;
use crate::base::postgres;
use crate::base::postgres::driver::Postgres;
use crate::base::sqlite::driver::Sqlite;
use crate::base::traffic::TrafficCounters;
use crate::base::turns::TenantCaps;
use crate::base::tx::{Body, Ended, Transaction, TxNotes, TypedTransaction};
use crate::{BoundStatement, Failure, Param, PostgresOptions, Result, Row, Statement, Traffic};

/// Long reads that a tenant may have at a time; further ones wait.
const LONG_READS: usize = 2;

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
    traffic: Arc<TrafficCounters>,
    long_reads: TenantCaps,
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
        let long_reads = TenantCaps::new(LONG_READS);
        Ok(Self(Arc::new(Inner { driver, appended: Appended::default(), traffic, long_reads })))
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

    /// Visits every row of a short read.
    pub async fn each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        mut visit: impl FnMut(&Row<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        check(params)?;
        match self.driver() {
            Driver::Sqlite(sqlite) => self.each_on_sqlite(sqlite, statement, params, &mut visit),
            Driver::Postgres(postgres) => postgres.each(statement, params, &mut visit).await,
        }
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

    /// A long read; waits while the tenant has `LONG_READS` of them. On SQLite it blocks the thread; a multi-threaded
    /// runtime moves its other tasks to another thread first, so that they are not delayed.
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
        use tokio::runtime::{Handle, RuntimeFlavor};
        Box::pin(async move {
            check(params)?;
            let _turn = self.0.long_reads.turn().await;
            match self.driver() {
                Driver::Sqlite(sqlite) => {
                    let mut read = || self.each_on_sqlite(sqlite, statement, params, visit);
                    let may_block = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
                    if may_block { tokio::task::block_in_place(read) } else { read() }
                }
                Driver::Postgres(postgres) => postgres.each(statement, params, visit).await,
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

    /// Boxed and without the types of the body, so that it is compiled once. Fails if the database does; how the body
    /// ended, the transaction has kept.
    fn run(&self, transaction: Arc<dyn Transaction>, ending: Ending) -> BoxFuture<'_, Result<()>> {
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
            }
            Ok(())
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
