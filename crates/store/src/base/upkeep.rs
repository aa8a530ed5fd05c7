//! Care for the file of an embedded database: checks of its pages, the checkpoint of its write-ahead log, and the probe
//! for room on its disk. PostgreSQL cares for its own files.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, ToSql};

use crate::base::db::Driver;
use crate::{Db, Error, Result};

/// The most faults that a check lists.
const MAX_FAULTS: u32 = 100;
/// Longest wait of a checkpoint for a command in another process that reads or writes.
const CHECKPOINT_WAIT: Duration = Duration::from_secs(1);
/// How much the probe writes: more than most transactions add to the write-ahead log.
const PROBE_BYTES: usize = 64 << 10;

/// What a check of the database file has found.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// Each fault in the words of SQLite.
    pub faults: Vec<String>,
    /// True if the time was over before every table was checked.
    pub is_cut_short: bool,
}

impl Db {
    /// Reads the tables one after the other, until the time is over: finds pages and records that cannot be read, but
    /// not an index that disagrees with its table. On PostgreSQL it finds nothing.
    pub fn quick_check(&self, limit: Duration) -> Result<FileCheck> {
        match self.driver() {
            Driver::Sqlite(sqlite) => quick_check(&sqlite.reader()?, limit),
            Driver::Postgres(_) => Ok(FileCheck::default()),
        }
    }

    /// Reads the whole file and compares every index with its table. Takes as long as the file is large. On PostgreSQL
    /// it finds nothing.
    pub fn full_check(&self) -> Result<FileCheck> {
        let mut check = FileCheck::default();
        if let Driver::Sqlite(sqlite) = self.driver() {
            check.add(find_faults(&sqlite.reader()?, "integrity_check", MAX_FAULTS))?;
        }
        Ok(check)
    }

    /// Copies the write-ahead log into the database file and empties the log: a copy of the file alone is then
    /// complete. False if a command in another process still reads or writes.
    pub fn checkpoint(&self) -> Result<bool> {
        let Driver::Sqlite(sqlite) = self.driver() else { return Ok(true) };
        let connection = sqlite.reader()?;
        let checkpoint = || {
            connection.busy_timeout(CHECKPOINT_WAIT)?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        };
        checkpoint().map(|busy| busy == 0).map_err(|error| Error::sqlite("checkpoint", &error))
    }

    /// Fails if the folder of the database takes no further bytes. SQLite alone would not notice at once: it writes
    /// over the space that its write-ahead log already has.
    pub fn check_room(&self) -> Result<()> {
        let Driver::Sqlite(sqlite) = self.driver() else { return Ok(()) };
        let path = sqlite.path();
        write_probe(path).map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))
    }
}

impl FileCheck {
    /// Adds the faults that were found; an error that says that the file is damaged is a fault too.
    fn add(&mut self, found: rusqlite::Result<Vec<String>>) -> Result<()> {
        match found {
            Ok(faults) => self.faults.extend(faults),
            Err(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => self.faults.push(error.to_string()),
                Some(ErrorCode::OperationInterrupted) => self.is_cut_short = true,
                _ => return Err(Error::sqlite("check", &error)),
            },
        }
        Ok(())
    }
}

/// Table by table, because a check that is interrupted reports nothing of what it has found.
fn quick_check(connection: &Connection, limit: Duration) -> Result<FileCheck> {
    let began = Instant::now();
    let (done, ended) = mpsc::channel::<()>();
    let interrupt = connection.get_interrupt_handle();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                interrupt.interrupt();
            }
        });
        let checked = check_tables(connection, began, limit);
        drop(done);
        checked
    })
}

fn check_tables(connection: &Connection, began: Instant, limit: Duration) -> Result<FileCheck> {
    let mut check = FileCheck::default();
    let tables = match names_of_tables(connection) {
        Ok(tables) => tables,
        Err(error) => {
            check.add(Err(error))?;
            return Ok(check);
        }
    };
    for table in tables {
        check.is_cut_short |= began.elapsed() >= limit;
        if check.is_cut_short {
            break;
        }
        check.add(find_faults(connection, "quick_check", table))?;
    }
    Ok(check)
}

fn names_of_tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")?;
    names.query_map([], |row| row.get(0))?.collect()
}

/// Runs a check, which returns a row for each fault, or one row `ok`.
fn find_faults(connection: &Connection, check: &str, argument: impl ToSql) -> rusqlite::Result<Vec<String>> {
    let mut faults = Vec::new();
    connection.pragma(None, check, argument, |row| {
        faults.push(row.get::<_, String>(0)?);
        Ok(())
    })?;
    faults.retain(|fault| fault != "ok");
    Ok(faults)
}

/// Writes a file beside the database and removes it. It is not synced: a full or read-only disk refuses the write.
fn write_probe(database: &Path) -> io::Result<()> {
    let mut path = database.as_os_str().to_owned();
    path.push("-probe");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    let written = file.write_all(&vec![0; PROBE_BYTES]);
    written.and(std::fs::remove_file(&path))
}
