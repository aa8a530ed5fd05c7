//! Backup and restore as a logical export. One format for both databases, so that a backup of one can be restored into
//! the other. Files, progress bars and settings belong to the command.
//!
//! A backup is gzip of JSON Lines: a header, for each table a line with its columns followed by one array for each row,
//! and an end line with the number of rows and a checksum of everything before it. A backup holds passwords and tokens
//! as hashes, other secrets sealed, and of the secret key only the fingerprint.
//!
//! A backup reads one snapshot while servers go on writing. A restore checks the whole file first and then replaces the
//! rows of all tables except the state of the servers (`BackupRule::Untouched`) in one transaction, so a crash or a
//! damaged file leaves the database as it was.
//!
//! On request the whole file is sealed with a key (`seal.rs`).
//!
//! Files of messages that are in a folder (`media.store`) are saved as if they were in the database; those in a bucket
//! are not saved (`files.rs`).
//!
//! An older backup is restored by the columns that it has, and refused if it lacks one that may not be NULL. So a
//! migration that rewrites rows, instead of adding to the schema, also needs code here for rows of older backups.

mod blocking;
mod error;
mod files;
mod format;
mod read;
mod restore;
mod save;
mod schema;
mod seal;
mod snapshot;
mod summary;
mod write;

pub use error::BackupError;
pub use files::OpenFolderFile;
pub use restore::restore;
pub use save::backup;
pub use seal::{BackupInput, SealedReader, SealedWriter, open_backup};
pub use summary::Summary;

pub(crate) fn statements() -> Vec<&'static crate::Statement> {
    [restore::statements(), schema::statements()].concat()
}
