//! A transaction, as its body sees it. The same body runs on both engines and may run again when asked to.

use std::future::Future;
use std::pin::Pin;

use domain::TenantId;
use parking_lot::Mutex;

use crate::value::check;
use crate::{Engine, Param, Result, Row, Statement, postgres, sqlite};

/// What a transaction does: given the transaction and its input, both borrowed for as long as it runs.
pub trait Body<I, T, E>: for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxedBody<'t, T, E> + Send + Sync + 'static {}

impl<I, T, E, F> Body<I, T, E> for F where
    F: for<'t> Fn(&'t mut Tx<'t>, &'t I) -> BoxedBody<'t, T, E> + Send + Sync + 'static
{
}

pub type BoxedBody<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

#[derive(Debug)]
pub struct Tx<'a>(pub(crate) TxOf<'a>, pub(crate) &'a AppendedTo);

/// The tenants to whose logs of events a transaction appends: their numbering is woken after the commit.
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

    /// Wakes the numbering of the tenant's log when this is committed.
    pub(crate) fn appended(&self, tenant: TenantId) {
        let mut tenants = self.1.0.lock();
        if !tenants.contains(&tenant) {
            tenants.push(tenant);
        }
    }

    /// Every row, mapped.
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

    /// The first row, mapped.
    pub async fn row<T: Send>(
        &mut self,
        statement: &Statement,
        params: &[Param<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        Ok(self.rows(statement, params, map).await?.into_iter().next())
    }

    /// How many rows were changed.
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

    /// The same statement for many rows: a loop on SQLite, a pipeline on PostgreSQL. Answers how many were changed.
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
