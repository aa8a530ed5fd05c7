//! The table of applied migrations.

use super::{BASELINE, Migration};
use crate::base::columns::columns;
use crate::{Error, Result};

pub(super) const CREATE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    tenant_id BIGINT NOT NULL, name TEXT NOT NULL, applied_at BIGINT NOT NULL, version TEXT,
    PRIMARY KEY (tenant_id, name))";
/// All columns: databases from before the baseline may lack the version.
pub(super) const APPLIED: &str = "SELECT * FROM schema_migrations WHERE tenant_id = $1";
pub(super) const RECORD: &str =
    "INSERT INTO schema_migrations (tenant_id, name, applied_at, version) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant_id, name) DO NOTHING";

/// A migration that the database has.
#[derive(Debug)]
pub(crate) struct AppliedStep {
    pub name: String,
    /// The version of the program that applied it, if it was recorded.
    pub version: Option<String>,
}

columns! { AppliedStep { name, version } }

/// The steps that are not applied. Fails if the database is older than the baseline, or has a step that this version
/// does not know.
pub(crate) fn missing<'s>(steps: &'s [Migration], applied: &[AppliedStep]) -> Result<Vec<&'s Migration>> {
    if applied.iter().any(|step| step.name.as_str() < BASELINE) {
        return Err(Error::BeforeBaseline);
    }
    let is_known = |step: &AppliedStep| steps.iter().any(|known| known.name == step.name);
    // The names begin with rising numbers: the version that applied the last of them knows all the others.
    if let Some(last) = applied.iter().filter(|step| !is_known(step)).max_by(|one, other| one.name.cmp(&other.name)) {
        return Err(Error::NewerSchema { step: last.name.clone(), version: last.version.clone() });
    }
    let is_applied = |step: &&Migration| applied.iter().any(|one| one.name == step.name);
    Ok(steps.iter().filter(|step| !is_applied(step)).collect())
}
