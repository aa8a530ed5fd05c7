//! Keeps one read transaction open while there are reads and no writes.
//!
//! Every read of SQLite takes and leaves a lock on the shared index of its log: two system calls under a mutex that
//! all threads of the process want. While somebody in the process holds that lock already, the others share it without
//! asking the system. Traced on two cores, a page of calls made two and a half fcntl and as many futex calls before, and
//! hardly any after.
//!
//! It never hinders a writer for long: when anything was written it stands aside for a while, so that the log can be
//! brought into the database and begun anew, and without reads it sleeps.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use rusqlite::Connection;

use super::connect;
use crate::{Error, Result};

/// How long the transaction is held, and how long it stands aside.
const PERIOD: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Keeper {
    flags: Arc<Flags>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Flags {
    /// There was a read since the last look.
    reads: AtomicBool,
    ended: AtomicBool,
}

impl Keeper {
    pub fn start(path: &Path) -> Result<Self> {
        let flags = Arc::new(Flags::default());
        let (theirs, path) = (flags.clone(), path.to_owned());
        let thread = std::thread::Builder::new().name("sqlite-keeper".to_owned());
        let handle =
            thread.spawn(move || keep(&theirs, &path)).map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { flags, thread: handle.thread().clone() })
    }

    /// Before a read. Nearly always one look at a flag.
    pub fn reading(&self) {
        if !self.flags.reads.load(Ordering::Relaxed) {
            self.flags.reads.store(true, Ordering::Relaxed);
            self.thread.unpark();
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.flags.ended.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}

fn keep(flags: &Flags, path: &Path) {
    // Opened at the first read: a command that only writes needs none.
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
            Some(open) => seen = hold(open, seen).ok(),
            None => std::thread::sleep(PERIOD),
        }
    }
}

/// One period; answers the version of the data that it saw.
fn hold(connection: &Connection, seen: Option<i64>) -> rusqlite::Result<i64> {
    let transaction = connection.unchecked_transaction()?;
    let version = transaction.pragma_query_value(None, "data_version", |row| row.get(0))?;
    if seen == Some(version) {
        // The version alone takes no lock; a read does.
        transaction.query_row("SELECT COUNT(*) FROM sqlite_schema WHERE rowid < 0", [], |_| Ok(()))?;
        std::thread::sleep(PERIOD);
        transaction.rollback()?;
    } else {
        transaction.rollback()?;
        std::thread::sleep(PERIOD);
    }
    Ok(version)
}
