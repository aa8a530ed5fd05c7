//! Rows of a history between two times.

use crate::Timestamp;

/// Both times are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryRange {
    pub from: Timestamp,
    pub to: Timestamp,
    /// Whether the notes of the team are among the rows; V1 leaves them out.
    pub with_notes: bool,
}

impl Default for HistoryRange {
    /// All rows.
    fn default() -> Self {
        Self { from: Timestamp::from_micros(0), to: Timestamp::from_micros(i64::MAX), with_notes: true }
    }
}
