//! Imports of contacts: state, progress and counts.

use super::consent_values::ConsentColumn;
use crate::{ImportId, Timestamp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportStatus {
    /// The upload is in progress.
    Uploading,
    /// Uploaded: waits for a worker, or a worker holds its lease.
    Queued,
    /// A command reads a local file.
    Local,
    Done,
    Failed,
}

impl ImportStatus {
    /// Statuses in which a process may hold the import's lease and apply its rows.
    pub const LEASABLE: [Self; 2] = [Self::Queued, Self::Local];
    const ALL: [Self; 5] = [Self::Uploading, Self::Queued, Self::Local, Self::Done, Self::Failed];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Uploading => "uploading",
            Self::Queued => "queued",
            Self::Local => "local",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    pub rows: i64,
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub rejected: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub id: ImportId,
    pub status: ImportStatus,
    pub format: String,
    pub dry_run: bool,
    /// SHA-256 of the file, in hex.
    pub fingerprint: String,
    pub bytes_total: i64,
    pub bytes_done: i64,
    pub counts: ImportCounts,
    /// The unchanged first row of a CSV file.
    pub header: Option<String>,
    pub consent: ConsentColumn,
    pub error: Option<String>,
    pub actor: String,
    /// The present or last holder of the lease.
    pub holder: Option<String>,
    pub leased_until: Timestamp,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}
