//! A background thread that keeps one read transaction open while there are reads and no writes.
//!
//! Every SQLite read locks and unlocks the shared index of the write-ahead log: two `fcntl` calls under a mutex of the
//! process. While another connection of the process holds that lock, reads share it without a system call. Traced on
//! two cores, reading a page of the list of calls needed 2.5 `fcntl` and as many `futex` calls without this thread, and
//! hardly any with it.
//!
//! The thread must not delay checkpoints: after any write it releases the transaction for one `PERIOD`, so that the log
//! can be written back and restarted. Without reads it sleeps. It holds no data, so its failure only makes reads
//! slower.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use rusqlite::Connection;

use super::connection::connect;
use crate::{Error, Result};

/// Time for which the transaction is held, and for which it is released after a write.
const PERIOD: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(crate) struct ReadLock {
    flags: Arc<Flags>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Flags {
    /// There was a read since the present period began.
    reads: AtomicBool,
    ended: AtomicBool,
}

impl ReadLock {
    pub fn start(path: &Path) -> Result<Self> {
        let flags = Arc::new(Flags::default());
        let (theirs, path) = (flags.clone(), path.to_owned());
        let thread = std::thread::Builder::new().name("sqlite-read-lock".to_owned());
        let handle =
            thread.spawn(move || keep(&theirs, &path)).map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { flags, thread: handle.thread().clone() })
    }

    /// Notes a read, so that the thread holds the transaction. Usually costs one load of a flag.
    pub fn record_read(&self) {
        if !self.flags.reads.load(Ordering::Relaxed) {
            self.flags.reads.store(true, Ordering::Relaxed);
            self.thread.unpark();
        }
    }
}

impl Drop for ReadLock {
    fn drop(&mut self) {
        self.flags.ended.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}

fn keep(flags: &Flags, path: &Path) {
    // Opened at the first read: a process that only writes needs none.
    let mut connection = None;
    let mut seen = None;
    while !flags.ended.load(Ordering::Relaxed) {
        if !flags.reads.swap(false, Ordering::Relaxed) {
            std::thread::park();
            continue;
        }
        if connection.is_none() {
            connection = connect(path).ok();
        }
        match &connection {
            Some(open) => seen = hold_for_a_period(open, seen).ok(),
            None => std::thread::sleep(PERIOD),
        }
    }
}

/// Runs one period: holds the transaction if nothing was written since the version `seen`, and otherwise releases it
/// first. Returns the data version that it read.
fn hold_for_a_period(connection: &Connection, seen: Option<i64>) -> rusqlite::Result<i64> {
    let transaction = connection.unchecked_transaction()?;
    let version = transaction.pragma_query_value(None, "data_version", |row| row.get(0))?;
    if seen == Some(version) {
        // Only a read takes the lock; the pragma does not.
        transaction.query_row("SELECT COUNT(*) FROM sqlite_schema WHERE rowid < 0", [], |_| Ok(()))?;
        std::thread::sleep(PERIOD);
        transaction.rollback()?;
    } else {
        transaction.rollback()?;
        std::thread::sleep(PERIOD);
    }
    Ok(version)
}
