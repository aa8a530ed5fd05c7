//! What a backup and a restore report at their end.

use std::collections::BTreeMap;

use super::format::Header;

/// The result of a backup or a restore.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// The last migration of the saved database.
    pub schema: String,
    /// Time of the backup, in RFC 3339.
    pub created_at: String,
    /// Fingerprint of the secret key under which the hashes and sealed secrets were made. A server needs that key to
    /// use them.
    pub key_fingerprint: Option<String>,
    /// Number of rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// Files of messages in a bucket: their bytes are not in the backup.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_elsewhere: u64,
    /// Files of messages whose bytes are missing in their folder; they are not in the backup.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_lost: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Summary {
    pub(super) fn new(header: Header, rows: BTreeMap<String, u64>) -> Self {
        let Header { schema, created_at, key_fingerprint, .. } = header;
        Self { schema, created_at, key_fingerprint, rows, files_elsewhere: 0, files_lost: 0 }
    }

    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}
