//! A transaction as its body sees it. The same body works on either engine; on PostgreSQL it may run several times.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use domain::TenantId;
use domain::audit::AuditEntry;
use parking_lot::Mutex;

use crate::traffic::TrafficCounters;
use crate::value::check;
use crate::{Param, Result, Row, Statement, postgres, sqlite};

/// The body of a transaction. It borrows the transaction and its input while it runs.
pub trait Body<I, T, E>: for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxedBody<'t, T, E> + Send + Sync + 'static {}

impl<I, T, E, F> Body<I, T, E> for F where
    F: for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxedBody<'t, T, E> + Send + Sync + 'static
{
}

pub type BoxedBody<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

#[derive(Debug)]
pub struct Tx<'a>(pub(crate) TxOf<'a>, pub(crate) &'a AppendedTo);

/// What the body of a transaction collects for the time after its statements.
#[derive(Debug)]
pub(crate) struct AppendedTo {
    /// The tenants to whose event logs it appends. Their numbering is woken after the commit.
    events: Mutex<Vec<TenantId>>,
    /// The entries of audit logs, written when the body has succeeded (`audit.rs`).
    audit: Mutex<Vec<(TenantId, AuditEntry)>>,
    /// Counts the statements, rows and bytes of the transaction.
    traffic: Arc<TrafficCounters>,
}

impl AppendedTo {
    pub fn new(traffic: Arc<TrafficCounters>) -> Self {
        Self { events: Mutex::default(), audit: Mutex::default(), traffic }
    }

    pub fn take(&self) -> Vec<TenantId> {
        std::mem::take(&mut *self.events.lock())
    }

    pub fn traffic(&self) -> &TrafficCounters {
        &self.traffic
    }

    /// Drops the entries of a body that failed; on PostgreSQL the body may run again.
    pub fn forget_audit(&self) {
        self.audit.lock().clear();
    }

    pub fn has_audit(&self) -> bool {
        !self.audit.lock().is_empty()
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
    fn note_sqlite(&self, statements: usize, params: &[Param<'_>], read: usize, wrote: u64) {
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

    pub(crate) fn note_audit(&self, tenant: TenantId, entry: AuditEntry) {
        self.1.audit.lock().push((tenant, entry));
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
        check(params)?;
        let mut all = Vec::new();
        match &self.0 {
            TxOf::Sqlite(connection) => {
                sqlite::each(&connection.lock(), statement, params, &mut |row| {
                    all.push(map(row)?);
                    Ok(())
                })?;
                self.note_sqlite(1, params, all.len(), 0);
            }
            TxOf::Postgres(tx) => {
                for row in tx.fetch(statement, params).await? {
                    all.push(map(&postgres::row(&row))?);
                }
            }
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
        check(params)?;
        match &self.0 {
            TxOf::Sqlite(connection) => {
                let changed = sqlite::execute(&connection.lock(), statement, params)?;
                self.note_sqlite(1, params, 0, changed);
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
        reads.iter().try_for_each(|(_, params)| check(params))?;
        match &self.0 {
            TxOf::Sqlite(connection) => {
                for (index, (statement, params)) in reads.iter().enumerate() {
                    let mut count = 0;
                    sqlite::each(&connection.lock(), statement, params, &mut |row| {
                        count += 1;
                        visit(index, row)
                    })?;
                    self.note_sqlite(1, params, count, 0);
                }
            }
            TxOf::Postgres(tx) => {
                for (index, rows) in tx.fetch_all(reads).await?.iter().enumerate() {
                    rows.iter().try_for_each(|row| visit(index, &postgres::row(row)))?;
                }
            }
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
        match &self.0 {
            TxOf::Sqlite(connection) => {
                let mut count = 0;
                let counted = rows.into_iter().inspect(|params| {
                    count += 1;
                    self.1.traffic.sent(params.as_ref());
                });
                let changed = sqlite::execute_each(&connection.lock(), statement, counted)?;
                self.note_sqlite(count, &[], 0, changed);
                Ok(changed)
            }
            TxOf::Postgres(tx) => {
                let rows: Vec<R> = rows.into_iter().collect();
                rows.iter().try_for_each(|params| check(params.as_ref()))?;
                tx.execute_rows(statement, &rows, over_arrays).await
            }
        }
    }
}
