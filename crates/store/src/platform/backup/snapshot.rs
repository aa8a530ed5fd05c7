//! A snapshot of a database, read row by row while servers go on writing.
//!
//! On SQLite and PostgreSQL, all rows are from one moment. On Citus, each server of the cluster has a snapshot of its
//! own: the rows of a tenant, which are all on one server, are from one moment, and so are the installation's own. All
//! snapshots begin with one read of all servers (`BEGIN_EVERYWHERE`), and each server is read over one connection, whose
//! transaction keeps its snapshot.

use std::pin::pin;

use futures_util::TryStreamExt as _;
use rusqlite::Connection;
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::Type;

use super::BackupError;
use crate::base::citus;
use crate::base::postgres::driver::Postgres;
use crate::base::postgres::row;
use crate::base::row::RowOf;
use crate::base::sqlite::driver::Sqlite;
use crate::base::tables::{self, ColumnKind, TableShape};
use crate::{Engine, Error, FromRow, Row, Statement, read};

/// Reads every shard of a small table.
const BEGIN_EVERYWHERE: &str = "SELECT COUNT(*) FROM tenants";

#[derive(Clone, Copy)]
pub(super) enum Snapshot<'a> {
    Sqlite(&'a Connection),
    Postgres(&'a deadpool_postgres::Transaction<'a>),
}

/// Called for each row.
type Visit<'a> = &'a mut dyn FnMut(&Row<'_>) -> Result<(), BackupError>;

/// Runs `work` in a transaction that sees the database as it was at its first read.
pub(super) async fn of_sqlite<T>(
    sqlite: &Sqlite,
    work: impl AsyncFnOnce(Snapshot<'_>) -> Result<T, BackupError>,
) -> Result<T, BackupError> {
    let mut connection = sqlite.reader()?;
    let tx = connection.transaction().map_err(|error| Error::sqlite("backup.begin", &error))?;
    let outcome = work(Snapshot::Sqlite(&tx)).await;
    tx.finish().map_err(|error| Error::sqlite("backup.end", &error))?;
    sqlite.give_back(connection);
    outcome
}

pub(super) async fn of_postgres<T>(
    postgres: &Postgres,
    work: impl AsyncFnOnce(Snapshot<'_>) -> Result<T, BackupError>,
) -> Result<T, BackupError> {
    let mut client = postgres.client().await?;
    let begin = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
    let wrong = |error: tokio_postgres::Error| Error::postgres("backup.begin", &error);
    let tx = begin.start().await.map_err(wrong)?;
    if is_distributed(&tx).await.map_err(wrong)? {
        tx.batch_execute(citus::ONE_CONNECTION).await.map_err(wrong)?;
        tx.batch_execute(BEGIN_EVERYWHERE).await.map_err(wrong)?;
    }
    // Dropping rolls the transaction back: there is nothing to commit.
    work(Snapshot::Postgres(&tx)).await
}

async fn is_distributed(tx: &deadpool_postgres::Transaction<'_>) -> Result<bool, tokio_postgres::Error> {
    for question in [citus::HAS_EXTENSION, citus::IS_DISTRIBUTED] {
        if !tx.query_typed_one(question, &[]).await?.try_get::<_, bool>(0)? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Snapshot<'_> {
    fn engine(self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// Visits the table's rows in the order of the key, which is the same on both engines.
    pub async fn rows(self, table: &TableShape, visit: Visit<'_>) -> Result<(), BackupError> {
        self.each(&select(table, self.engine()), visit).await
    }

    /// All rows, for statements with few rows.
    pub async fn all<T: for<'r> FromRow<'r>>(self, statement: &Statement) -> Result<Vec<T>, BackupError> {
        let mut all = Vec::new();
        let mut keep = |row: &Row<'_>| {
            all.push(read(row)?);
            Ok(())
        };
        self.each(statement, &mut keep).await?;
        Ok(all)
    }

    /// Streams the rows, so memory does not grow with the table.
    async fn each(self, statement: &Statement, visit: Visit<'_>) -> Result<(), BackupError> {
        match self {
            Self::Sqlite(connection) => each_of_sqlite(connection, statement, visit),
            Self::Postgres(tx) => each_of_postgres(tx, statement, visit).await,
        }
    }
}

fn each_of_sqlite(connection: &Connection, statement: &Statement, visit: Visit<'_>) -> Result<(), BackupError> {
    let wrong = |error: rusqlite::Error| Error::sqlite(statement.name(), &error);
    let mut prepared = connection.prepare(statement.for_sqlite()).map_err(wrong)?;
    let mut rows = prepared.query([]).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        visit(&Row(RowOf::Sqlite(row)))?;
    }
    Ok(())
}

async fn each_of_postgres(
    tx: &deadpool_postgres::Transaction<'_>,
    statement: &Statement,
    visit: Visit<'_>,
) -> Result<(), BackupError> {
    let wrong = |error: tokio_postgres::Error| Error::postgres(statement.name(), &error);
    let none = std::iter::empty::<(i64, Type)>();
    let rows = tx.query_typed_raw(statement.for_postgres(), none).await.map_err(wrong)?;
    let mut rows = pin!(rows);
    while let Some(pg) = rows.try_next().await.map_err(wrong)? {
        visit(&row(&pg))?;
    }
    Ok(())
}

fn select(table: &TableShape, engine: Engine) -> Statement {
    let columns = tables::column_names(&table.columns);
    let key: Vec<String> = table.key.iter().map(|name| sort_key(table, name, engine)).collect();
    let text = format!("SELECT {columns} FROM {} ORDER BY {}", table.name, key.join(", "));
    composed_statement!(READ, text)
}

/// SQLite compares text by bytes. PostgreSQL compares by locale, unless it is given the bytes.
fn sort_key(table: &TableShape, name: &str, engine: Engine) -> String {
    let is_text = table.column(name).is_some_and(|column| column.kind == ColumnKind::Text);
    if is_text && engine == Engine::Postgres { format!("convert_to({name}, 'UTF8')") } else { name.to_owned() }
}
