//! The schema of a database as a backup names it: its last migration.

use super::BackupError;
use crate::migrations::{AppliedStep, MIGRATIONS, missing};

statements! {
    pub(super) APPLIED tenantless "the schema belongs to the installation" =
        "SELECT name, version FROM schema_migrations WHERE tenant_id = 0";
}

/// The last migration, if all are applied.
pub(super) fn present_schema(applied: Result<Vec<AppliedStep>, BackupError>) -> Result<&'static str, BackupError> {
    let applied = match applied {
        // Most likely the table of migrations does not exist.
        Err(BackupError::Store(crate::Error::Statement { .. })) => return Err(BackupError::NotMigrated),
        other => other?,
    };
    match (missing(MIGRATIONS, &applied)?.as_slice(), MIGRATIONS.last()) {
        ([], Some(last)) => Ok(last.name),
        _ => Err(BackupError::NotMigrated),
    }
}
