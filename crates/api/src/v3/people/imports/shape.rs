//! The wire shape of an import in V3.

use app::people::imports::status_of;
use domain::ImportId;
use domain::people::imports::Import;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactImport {
    id: ImportId,
    /// `queued`, `running`, `done` or `failed`.
    #[schema(example = "running")]
    status: &'static str,
    /// `csv` or `jsonl`.
    #[schema(example = "csv")]
    format: String,
    dry_run: bool,
    #[schema(example = 1_048_576)]
    bytes_total: i64,
    #[schema(example = 524_288)]
    bytes_done: i64,
    /// Rows processed so far, including empty lines.
    #[schema(example = 10_000)]
    rows_done: i64,
    #[schema(example = 9_990)]
    created: i64,
    #[schema(example = 7)]
    updated: i64,
    #[schema(example = 0)]
    unchanged: i64,
    #[schema(example = 3)]
    rejected: i64,
    /// Why the whole file was rejected.
    error: Option<String>,
    #[serde(serialize_with = "as_rfc3339")]
    started_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    finished_at: Option<Timestamp>,
}

impl From<&Import> for ContactImport {
    fn from(import: &Import) -> Self {
        Self {
            id: import.id,
            status: status_of(import),
            format: import.format.clone(),
            dry_run: import.dry_run,
            bytes_total: import.bytes_total,
            bytes_done: import.bytes_done,
            rows_done: import.counts.rows,
            created: import.counts.created,
            updated: import.counts.updated,
            unchanged: import.counts.unchanged,
            rejected: import.counts.rejected,
            error: import.error.clone(),
            started_at: import.started_at,
            finished_at: import.finished_at,
        }
    }
}
