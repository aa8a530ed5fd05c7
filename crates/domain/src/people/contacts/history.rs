//! The history of a contact: changes of consent, and merges.

use crate::{ContactId, MergeId, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentChange {
    pub at: Timestamp,
    /// One of `opt_in`, `opt_out`, `block`, `unblock`, `allow_broadcast`, `deny_broadcast`, `allow_sms`, `deny_sms`.
    pub change: String,
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    pub id: MergeId,
    pub kept_id: ContactId,
    pub merged_id: ContactId,
    /// JSON of both contacts and their identities before the merge; empty once the merge is undone.
    pub before: String,
    pub reason: String,
    pub merged_at: Timestamp,
    pub undone_at: Option<Timestamp>,
}
