//! A connection to SQLite: opening it with its settings, and running statements on it.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::base::param::check;
use crate::base::row::RowOf;
use crate::{Error, Param, Result, Row, Statement};

/// Longest wait for the write lock, which a command in another process may hold for a batch.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);
/// Pause before the next try to get a lock. Short, because a command that writes much leaves the lock free only for
/// moments; SQLite's own pauses grow to 100 ms.
const LOCK_PAUSE: Duration = Duration::from_millis(1);
/// Pause before the next try to switch a new database to WAL.
const WAL_PAUSE: Duration = Duration::from_millis(2);

/// Makes the database readable for its owner only, whatever the folder allows. Journals get the mode of the database
/// file; journals of an earlier release are narrowed too. An existing file is not opened: to close it would release the
/// locks that other connections of this process hold on it.
pub(crate) fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        match std::fs::metadata(&file) {
            Ok(found) if found.permissions().mode() & 0o077 != 0 => {
                std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The file must exist (`make_private`): a later connection must not create one where a disk was unmounted.
pub(crate) fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)
        .map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))?;
    connection.busy_handler(Some(waits_for_lock())).map_err(|error| Error::sqlite("open", &error))?;
    let set_up = || {
        // In bytes; has an effect only before the first table exists. Rows of about a kilobyte fit larger pages better.
        connection.pragma_update(None, "page_size", 8192)?;
        // Stable plans: otherwise SQLite may consider bound values and prepare a statement again when they change.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        use_wal(&connection)?;
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

/// Waits before the next try to get a lock; false when the wait has taken `BUSY_TIMEOUT`.
fn waits_for_lock() -> impl FnMut(i32) -> bool + Send + 'static {
    let mut began = Instant::now();
    move |tries| {
        if tries == 0 {
            began = Instant::now();
        }
        std::thread::sleep(LOCK_PAUSE);
        began.elapsed() < BUSY_TIMEOUT
    }
}

/// Switches a new database to WAL. Two connections that do so at once each hold a read lock that the other's switch must
/// wait for, so SQLite answers "busy" to one of them without waiting.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && began.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(WAL_PAUSE);
            }
            outcome => return outcome,
        }
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

/// Prepares a statement once and passes `feed` a function that executes it for a row and returns how many it changed.
pub(crate) fn execute_each(
    connection: &Connection,
    statement: &Statement,
    feed: impl FnOnce(&mut dyn FnMut(&[Param<'_>]) -> Result<u64>) -> Result<()>,
) -> Result<()> {
    let wrong = |error: rusqlite::Error| Error::sqlite(statement.name(), &error);
    let mut prepared = connection.prepare_cached(statement.for_sqlite()).map_err(wrong)?;
    feed(&mut |params| {
        check(params)?;
        let changed = prepared.execute(rusqlite::params_from_iter(params)).map_err(wrong)?;
        Ok(u64::try_from(changed).unwrap_or(0))
    })
}

/// The plan as a tree, indented by depth. Parameters may be missing, since plans do not depend on bound values.
pub(crate) fn explain(
    connection: &Connection,
    statement: &Statement,
    params: &[Param<'_>],
) -> rusqlite::Result<Vec<String>> {
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
