//! The wire shape of an import in V3.

use app::people::imports::status_of;
use domain::ImportId;
use domain::people::consent_values::{ConsentReading, ConsentValue};
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
    /// The distinct values of the consent column in the rows processed so far, at most 50, and how each is read.
    consent_values: Vec<ReadConsentValue>,
    /// Why the whole file was rejected.
    error: Option<String>,
    #[serde(serialize_with = "as_rfc3339")]
    started_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    finished_at: Option<Timestamp>,
}

/// A value of the consent column.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReadConsentValue {
    #[schema(example = "yes")]
    value: String,
    #[schema(example = 9_000)]
    rows: i64,
    /// `opted_in`; `opted_out`; `unknown` if the value is not recognized, which opts the contact out; `empty` if the
    /// cell is empty, so that a known contact keeps its consent and a new one is not opted in.
    #[schema(example = "opted_in")]
    read_as: &'static str,
}

impl From<(&ConsentValue, ConsentReading)> for ReadConsentValue {
    fn from((ConsentValue { value, rows }, reading): (&ConsentValue, ConsentReading)) -> Self {
        Self { value: value.clone(), rows: *rows, read_as: reading.name() }
    }
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
            consent_values: import.consent.found().map(ReadConsentValue::from).collect(),
            error: import.error.clone(),
            started_at: import.started_at,
            finished_at: import.finished_at,
        }
    }
}
