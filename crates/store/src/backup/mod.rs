//! Backup and restore as a logical export. One format for both databases, so that a backup of one can be restored into
//! the other. Files, progress bars and settings belong to the command.
//!
//! A backup is gzip of JSON Lines: a header, for each table a line with its columns followed by one array for each row,
//! and an end line with the number of rows and a checksum of everything before it. A backup holds passwords and tokens
//! as hashes, other secrets sealed, and of the secret key only the fingerprint.
//!
//! A backup reads one snapshot while servers go on writing. A restore checks the whole file first and then replaces the
//! rows of all tables except the state of the servers (`Fate::Left`) in one transaction, so a crash or a damaged file
//! leaves the database as it was.
//!
//! Files of messages that are in a folder (`media.store`) are saved as if they were in the database; those in a bucket
//! are not saved (`files.rs`).
//!
//! An older backup is restored by the columns that it has, and refused if it lacks one that may not be NULL. So a
//! migration that rewrites rows, instead of adding to the schema, also needs code here for rows of older backups.

mod error;
mod files;
mod format;
mod read;
mod restore;
mod save;
mod snapshot;
mod write;

use std::collections::BTreeMap;

pub use error::BackupError;
pub use files::OpenFolderFile;
pub use restore::restore;
pub use save::backup;

pub(crate) fn statements() -> Vec<&'static crate::Statement> {
    [restore::statements(), save::statements()].concat()
}

/// The result of a backup or a restore.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// The last migration of the saved database.
    pub schema: String,
    /// Time of the backup, in RFC 3339.
    pub created_at: String,
    /// Fingerprint of the secret key under which the hashes and sealed secrets were made. A server needs that key to
    /// use them.
    pub key_fingerprint: Option<String>,
    /// Number of rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// Files of messages in a bucket: their bytes are not in the backup.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_elsewhere: u64,
    /// Files of messages whose bytes are missing in their folder; they are not in the backup.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_lost: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Summary {
    fn new(header: format::Header, rows: BTreeMap<String, u64>) -> Self {
        let format::Header { schema, created_at, key_fingerprint, .. } = header;
        Self { schema, created_at, key_fingerprint, rows, files_elsewhere: 0, files_lost: 0 }
    }

    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

/// Runs work that blocks (files, compression, SQLite) on a blocking thread.
async fn on_blocking_thread<T, F>(work: impl FnOnce() -> F + Send + 'static) -> Result<T, BackupError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, BackupError>>,
{
    let run = move || tokio::runtime::Handle::current().block_on(work());
    tokio::task::spawn_blocking(run).await.unwrap_or(Err(BackupError::Store(crate::Error::Panicked)))
}
