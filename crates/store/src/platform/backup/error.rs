//! Errors of backup and restore. Most messages say what to do.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] crate::Error),
    #[error("the backup cannot be written: {0}")]
    Write(io::Error),
    #[error("a message's file cannot be read: {0}")]
    File(io::Error),
    #[error("the backup cannot be read: {0}")]
    Read(io::Error),
    #[error("this is not a backup: give the file that `switchboard backup` wrote")]
    NotABackup,
    #[error("the backup is sealed with the key {0}, which is needed to restore it")]
    Sealed(String),
    #[error("the backup is sealed with the key {expected}, and the given key is {given}: give the right key")]
    OtherSealKey { expected: String, given: String },
    #[error("the backup is not sealed: restore it without a key, if it comes from a place that you trust")]
    NotSealed,
    #[error("the backup is cut short or was altered ({0}), so nothing was restored: use another copy of it")]
    Damaged(String),
    #[error(
        "the backup was made by a newer version of this program (it has {found}, this version knows up to {known}): \
         restore it with that version"
    )]
    Newer { found: String, known: &'static str },
    #[error(
        "the backup was made before the first release of Switchboard (its schema is {0}), and cannot be restored: \
         restore it with the version that made it"
    )]
    BeforeBaseline(String),
    #[error("the backup has {0}, which this version does not know: restore it with the version that made it")]
    Unknown(String),
    #[error(
        "the backup has no column {table}.{column}, which this version needs: \
         restore it with the version that made it, then upgrade"
    )]
    AbsentColumn { table: &'static str, column: String },
    #[error("the database does not have this version's schema: run `switchboard migrate` first")]
    NotMigrated,
    #[error("the database already has tenants: restore into an empty database, or ask to replace everything in it")]
    NotEmpty,
    /// A row of the database does not fit the types of its columns.
    #[error("table {table} holds a row that cannot be saved ({source}): repair the row, then run the backup again")]
    Row { table: &'static str, source: crate::Error },
}

impl BackupError {
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }
}
