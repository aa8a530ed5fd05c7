//! The table of applied migrations.

use super::{MIGRATIONS, Migration};
use crate::columns::columns;
use crate::{Error, Result};

pub(super) const CREATE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (tenant_id, name))";
pub(super) const APPLIED: &str = "SELECT name, version FROM schema_migrations WHERE tenant_id = $1";
/// Before the step `VERSIONED`.
pub(super) const APPLIED_UNVERSIONED: &str = "SELECT name FROM schema_migrations WHERE tenant_id = $1";
pub(super) const RECORD: &str =
    "INSERT INTO schema_migrations (tenant_id, name, applied_at, version) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant_id, name) DO NOTHING";
pub(super) const RECORD_UNVERSIONED: &str =
    "INSERT INTO schema_migrations (tenant_id, name, applied_at) VALUES ($1, $2, $3)
    ON CONFLICT (tenant_id, name) DO NOTHING";
/// The step that adds the column for the version.
const VERSIONED: &str = "0240_schema_migrations_version";

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A migration that the database has.
#[derive(Debug)]
pub(crate) struct AppliedStep {
    pub name: String,
    /// The version of the program that applied it; none in databases of earlier versions.
    pub version: Option<String>,
}

columns! { AppliedStep { name, version } }

/// Whether the column for the version exists when this step has run.
pub(super) fn has_version(migration: &Migration) -> bool {
    let position = |name: &str| MIGRATIONS.iter().position(|step| step.name == name);
    position(migration.name) >= position(VERSIONED)
}

/// The migrations that are not applied. Fails if the database has one that this version does not know.
pub(crate) fn missing(applied: &[AppliedStep]) -> Result<Vec<&'static Migration>> {
    let is_known = |step: &AppliedStep| MIGRATIONS.iter().any(|migration| migration.name == step.name);
    // The names begin with rising numbers: the version that applied the last of them knows all the others.
    if let Some(last) = applied.iter().filter(|step| !is_known(step)).max_by(|one, other| one.name.cmp(&other.name)) {
        return Err(Error::NewerSchema { step: last.name.clone(), version: last.version.clone() });
    }
    let is_applied = |migration: &&Migration| applied.iter().any(|step| step.name == migration.name);
    Ok(MIGRATIONS.iter().filter(|migration| !is_applied(migration)).collect())
}
