//! A transaction as its body sees it. The same body works on either engine; on PostgreSQL it may run several times.

use std::future::Future;
use std::pin::Pin;

use domain::TenantId;
use parking_lot::Mutex;

use crate::value::check;
use crate::{Engine, Param, Result, Row, Statement, postgres, sqlite};

/// The body of a transaction. It borrows the transaction and its input while it runs.
pub trait Body<I, T, E>: for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxedBody<'t, T, E> + Send + Sync + 'static {}

impl<I, T, E, F> Body<I, T, E> for F where
    F: for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxedBody<'t, T, E> + Send + Sync + 'static
{
}

pub type BoxedBody<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

#[derive(Debug)]
pub struct Tx<'a>(pub(crate) TxOf<'a>, pub(crate) &'a AppendedTo);

/// The tenants to whose event logs a transaction appends. Their numbering is woken after the commit.
#[derive(Debug, Default)]
pub(crate) struct AppendedTo(Mutex<Vec<TenantId>>);

impl AppendedTo {
    pub fn take(&self) -> Vec<TenantId> {
        std::mem::take(&mut *self.0.lock())
    }
}

pub(crate) enum TxOf<'a> {
    Sqlite(&'a Mutex<rusqlite::Connection>),
    Postgres(&'a deadpool_postgres::Transaction<'a>),
}

impl std::fmt::Debug for TxOf<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tx")
    }
}

impl Tx<'_> {
    pub(crate) const fn engine(&self) -> Engine {
        match self.0 {
            TxOf::Sqlite(_) => Engine::Sqlite,
            TxOf::Postgres(_) => Engine::Postgres,
        }
    }

    /// Wakes the numbering of the tenant's log after the commit.
    pub(crate) fn appended(&self, tenant: TenantId) {
        let mut tenants = self.1.0.lock();
        if !tenants.contains(&tenant) {
            tenants.push(tenant);
        }
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
            }
            TxOf::Postgres(tx) => {
                let prepared = postgres::prepared_in(tx, statement).await?;
                for row in postgres::fetch(&***tx, &prepared, statement, params).await? {
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
            TxOf::Sqlite(connection) => sqlite::execute(&connection.lock(), statement, params),
            TxOf::Postgres(tx) => {
                let prepared = postgres::prepared_in(tx, statement).await?;
                postgres::execute(&***tx, &prepared, statement, params).await
            }
        }
    }

    /// Executes a statement for many rows, in a loop on SQLite and pipelined on PostgreSQL. Returns the number of
    /// changed rows.
    pub async fn execute_many<'p, R>(
        &mut self,
        statement: &Statement,
        rows: impl IntoIterator<Item = R, IntoIter: Send> + Send,
    ) -> Result<u64>
    where
        R: AsRef<[Param<'p>]> + Send + Sync,
    {
        match &self.0 {
            TxOf::Sqlite(connection) => sqlite::execute_each(&connection.lock(), statement, rows.into_iter()),
            TxOf::Postgres(tx) => {
                let rows: Vec<R> = rows.into_iter().collect();
                rows.iter().try_for_each(|params| check(params.as_ref()))?;
                let prepared = postgres::prepared_in(tx, statement).await?;
                postgres::pipeline(&***tx, &prepared, statement, &rows).await
            }
        }
    }
}
