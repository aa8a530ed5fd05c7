//! Replaces the contents of a database by a backup, in one transaction.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::sync::Arc;

use parking_lot::Mutex;

use super::blocking::on_blocking_thread;
use super::format::{Header, TableLine, decode_row};
use super::read::{BackupLine, Reader};
use super::schema::{APPLIED, present_schema};
use super::{BackupError, Summary};
use futures_util::future::BoxFuture;

use crate::base::citus;
use crate::base::db::Driver;
use crate::base::postgres::PgTransaction;
use crate::base::postgres::driver::Postgres;
use crate::base::sqlite::driver::Sqlite;
use crate::base::tables::{self, BackupRule, Column, TableShape};
use crate::base::tx::{TxNotes, TxOf};
use crate::base::{epochs, sqlite};
use crate::delivery::webhooks;
use crate::identity::memberships;
use crate::people::contacts;
use crate::{Db, Param, Statement, Tx, read};

/// Rows sent to the database together: enough to hide a round trip, few enough to keep in memory.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 1 << 20;

statements! {
    ANY_TENANT tenantless "a restore is about the whole installation" = "SELECT tenant_id FROM tenants LIMIT 1";
}

/// Reads the whole backup to check it, then restores it in one transaction.
///
/// A database with tenants is refused unless `replace` is true; then its rows are deleted, except the state of the
/// servers (`BackupRule::Untouched`). `progress` gets the number of restored rows and the total. Running servers drop
/// the credentials and endpoints that they cache. The index of contacts lacks the restored ones until
/// `contacts::rebuild` has run, and accounts of an earlier version cannot log in until `memberships::adopt` has run;
/// the start of a server does both. On SQLite, writes of a running server wait for the restore, and fail if it takes
/// longer than 20 seconds.
pub fn restore(
    db: &Db,
    input: impl Read + Seek + Send + 'static,
    replace: bool,
    progress: impl Fn(u64, u64) + Send + 'static,
) -> BoxFuture<'static, Result<Summary, BackupError>> {
    restore_from(db.clone(), Box::new(input), replace, Box::new(progress))
}

trait Input: Read + Seek + Send {}

impl<R: Read + Seek + Send> Input for R {}

type Progress = Box<dyn Fn(u64, u64) + Send>;

#[boxed::futures]
async fn restore_from(
    db: Db,
    mut input: Box<dyn Input>,
    replace: bool,
    progress: Progress,
) -> Result<Summary, BackupError> {
    on_blocking_thread(move || async move {
        let (tables, total) = check(&mut input)?;
        input.rewind().map_err(BackupError::Read)?;
        let (header, lines) = Reader::open(input)?;
        let job = Job { header, tables, lines, total, replace, progress };
        match db.driver() {
            Driver::Sqlite(sqlite) => into_sqlite(sqlite, job).await,
            Driver::Postgres(postgres) => into_postgres(postgres, job).await,
        }
    })
    .await
}

struct Job {
    header: Header,
    tables: Vec<TableLine>,
    lines: Reader<Box<dyn Input>>,
    total: u64,
    replace: bool,
    progress: Progress,
}

/// Makes every check that needs no database and returns the tables and the number of rows.
///
/// Checks for damage first: a damaged file can look like one of a newer version.
fn check(input: impl Read) -> Result<(Vec<TableLine>, u64), BackupError> {
    let (header, mut lines) = Reader::open(input)?;
    if let Err(newer) = header.check_format() {
        lines.skip_all()?;
        return Err(newer);
    }
    let mut tables = Vec::new();
    let rows = loop {
        match lines.next()? {
            BackupLine::Table(line) => tables.push(line),
            BackupLine::Row(_) => {}
            BackupLine::End(rows) => break rows,
        }
    };
    header.check_schema()?;
    Ok((tables, rows.values().sum()))
}

async fn into_sqlite(sqlite: &Sqlite, job: Job) -> Result<Summary, BackupError> {
    let connection = Mutex::new(sqlite.reader()?);
    sqlite::connection::batch(&connection, "BEGIN IMMEDIATE")?;
    // An early return drops the connection, which rolls the transaction back.
    let summary = fill(&mut Tx(TxOf::Sqlite(&connection), &TxNotes::new(Arc::default())), job).await?;
    sqlite::connection::batch(&connection, "COMMIT")?;
    sqlite.give_back(connection.into_inner());
    Ok(summary)
}

async fn into_postgres(postgres: &Postgres, job: Job) -> Result<Summary, BackupError> {
    let tx = postgres.begin().await?;
    let summary = fill_postgres(&tx, job).await;
    tx.end(summary.is_ok()).await?;
    summary
}

/// A separate function, so that the borrow of the transaction ends before the commit.
async fn fill_postgres<'t>(tx: &'t PgTransaction<'t>, job: Job) -> Result<Summary, BackupError> {
    let notes = TxNotes::new(Arc::default());
    let mut tx = Tx(TxOf::Postgres(tx), &notes);
    citus::use_one_connection(&mut tx).await?;
    fill(&mut tx, job).await
}

async fn fill(tx: &mut Tx<'_>, mut job: Job) -> Result<Summary, BackupError> {
    let applied = tx.rows(&APPLIED, &[], read).await;
    present_schema(applied.map_err(BackupError::from))?;
    let shapes = tables::shapes_in(tx).await?;
    job.tables.iter().try_for_each(|line| Destination::matching(&shapes, line).map(drop))?;
    if !job.replace && tx.row(&ANY_TENANT, &[], |_| Ok(())).await?.is_some() {
        return Err(BackupError::NotEmpty);
    }
    for table in shapes.iter().filter(|table| table.backup_rule != BackupRule::Untouched) {
        tx.execute(&composed_statement!(EMPTY, format!("DELETE FROM {}", table.name)), &[]).await?;
    }
    // The reader checks counts and checksum again: a file that was damaged since the first check is not restored.
    let rows = insert_all(tx, &shapes, &mut job).await?;
    contacts::require_rebuild(tx).await?;
    contacts::reset_unindexed(tx).await?;
    memberships::require_adoption(tx).await?;
    epochs::bump_credentials(tx).await?;
    webhooks::endpoints_changed(tx).await?;
    Ok(Summary::new(job.header, rows))
}

async fn insert_all(
    tx: &mut Tx<'_>,
    shapes: &[TableShape],
    job: &mut Job,
) -> Result<BTreeMap<String, u64>, BackupError> {
    let mut batch = Batch::default();
    let mut done = 0;
    loop {
        match job.lines.next()? {
            BackupLine::Table(line) => {
                done += batch.send(tx).await?;
                batch = Batch { into: Some(Destination::matching(shapes, &line)?), ..Batch::default() };
            }
            BackupLine::Row(line) => {
                batch.add(line)?;
                if batch.is_full() {
                    done += batch.send(tx).await?;
                    (job.progress)(done, job.total);
                }
            }
            BackupLine::End(rows) => {
                done += batch.send(tx).await?;
                (job.progress)(done, job.total);
                return Ok(rows);
            }
        }
    }
}

/// A batch of rows for one table.
#[derive(Default)]
struct Batch {
    into: Option<Destination>,
    rows: Vec<Vec<Param<'static>>>,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, line: &[u8]) -> Result<(), BackupError> {
        let row = self.into.as_ref().and_then(|into| decode_row(&into.columns, line));
        self.rows.push(row.ok_or_else(|| BackupError::damaged("a row does not fit its table"))?);
        self.bytes += line.len();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// Inserts the rows of the batch, empties it, and returns how many were inserted.
    async fn send(&mut self, tx: &mut Tx<'_>) -> Result<u64, BackupError> {
        let Some(into) = &self.into else { return Ok(0) };
        let sent = tx.execute_many(&into.insert, &self.rows).await?;
        self.rows.clear();
        self.bytes = 0;
        Ok(sent)
    }
}

/// Where the rows of a table of the backup go: columns of the database's table, and the statement that inserts a row.
struct Destination {
    columns: Vec<Column>,
    insert: Statement,
}

impl Destination {
    /// Columns that the backup does not have become NULL or get their default; one that has neither is an error.
    fn matching(shapes: &[TableShape], line: &TableLine) -> Result<Self, BackupError> {
        let table = shapes.iter().find(|table| table.backup_rule == BackupRule::Saved && table.name == line.table);
        let table = table.ok_or_else(|| BackupError::Unknown(format!("table {}", line.table)))?;
        let unknown = |name: &String| BackupError::Unknown(format!("column {}.{name}", table.name));
        let named = line.columns.iter().map(|name| table.column(name).cloned().ok_or_else(|| unknown(name)));
        let columns = named.collect::<Result<Vec<_>, _>>()?;
        let is_absent = |column: &&Column| !column.nullable && !column.has_default && !columns.contains(column);
        if let Some(column) = table.columns.iter().find(is_absent) {
            return Err(BackupError::AbsentColumn { table: table.name, column: column.name.clone() });
        }
        let values: Vec<String> = (1..=columns.len()).map(|n| format!("${n}")).collect();
        let text =
            format!("INSERT INTO {} ({}) VALUES ({})", table.name, tables::column_names(&columns), values.join(", "));
        Ok(Self { insert: composed_statement!(INSERT, text), columns })
    }
}
