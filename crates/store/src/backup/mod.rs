//! Backup and restore as a logical export: one format for both databases, so that either can be restored into the
//! other. Owns the format; must not know files, terminals or settings, which are the command's.
//!
//! A backup is gzip of JSON Lines: a header, then for each table a line with its columns and one array a row, and an
//! end line that counts the rows and holds a checksum of everything before it. It holds keyed hashes and the
//! fingerprint of the secret key, never the key.
//!
//! An older backup is restored by the columns it has. A migration that rewrites rows, rather than adding to the
//! schema, must therefore also say here what becomes of rows that come from before it.

mod error;
mod format;
mod read;
mod restore;
mod save;
mod snapshot;
mod write;

use std::collections::BTreeMap;

pub use error::BackupError;
pub use restore::restore;
pub use save::backup;

pub(crate) static STATEMENTS: &[&crate::Statement] = &[&restore::ANY_TENANT, &save::APPLIED];

/// What was saved or restored.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// The last migration of the database that was saved.
    pub schema: String,
    /// When it was saved, in RFC 3339.
    pub created_at: String,
    /// Which secret key the hashes hang from; a server that uses the data must have that key.
    pub key_fingerprint: Option<String>,
    /// How many rows of each table.
    pub rows: BTreeMap<String, u64>,
}

impl Summary {
    fn new(header: format::Header, rows: BTreeMap<String, u64>) -> Self {
        let format::Header { schema, created_at, key_fingerprint, .. } = header;
        Self { schema, created_at, key_fingerprint, rows }
    }

    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

/// Files, compression and SQLite block; they do so on a thread that may.
async fn on_blocking_thread<T, F>(work: impl FnOnce() -> F + Send + 'static) -> Result<T, BackupError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, BackupError>>,
{
    let run = move || tokio::runtime::Handle::current().block_on(work());
    tokio::task::spawn_blocking(run).await.unwrap_or(Err(BackupError::Store(crate::Error::Panicked)))
}
