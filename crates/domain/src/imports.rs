//! Imports of contacts: how far one is, and what it did.

use crate::{ImportId, Timestamp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Its pieces are still arriving.
    Uploading,
    /// Uploaded: waits for a worker, or is under one's lease.
    Queued,
    /// A command reads its own file.
    Local,
    Done,
    Failed,
}

impl Status {
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
pub struct Counts {
    pub rows: i64,
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub rejected: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub id: ImportId,
    pub status: Status,
    pub format: String,
    pub dry_run: bool,
    /// SHA-256 of the file, in hex.
    pub fingerprint: String,
    pub bytes_total: i64,
    pub bytes_done: i64,
    pub counts: Counts,
    /// The first row of a CSV file, as it came.
    pub header: Option<String>,
    pub error: Option<String>,
    pub actor: String,
    /// Who works on it, or did last.
    pub holder: Option<String>,
    pub leased_until: Timestamp,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}
