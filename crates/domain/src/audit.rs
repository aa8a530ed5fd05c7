//! The audit log: who created, changed and revoked what.

use crate::{AuditEntryId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AuditEntry {
    pub id: AuditEntryId,
    #[serde(serialize_with = "crate::time::as_rfc3339")]
    pub at: Timestamp,
    /// `command`, `account:<id>`, `token:<id>`.
    pub actor: String,
    /// `token.create`, `account.set_password`.
    pub action: String,
    pub subject: String,
    /// JSON, without secrets.
    pub details: String,
    pub address: Option<String>,
    pub request_id: Option<String>,
}
