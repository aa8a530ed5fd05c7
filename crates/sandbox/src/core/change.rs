//! One change of a webhook, put on the list of what is to be posted.

use domain::{Id, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use store::sandbox::due::{self, Due};

/// What an `entry` of a webhook holds: `{field, value}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub field: String,
    pub value: Value,
}

impl Change {
    pub fn new(field: &str, value: Value) -> Self {
        Self { field: field.to_owned(), value }
    }

    /// As it lies in `sandbox_due`.
    pub fn to_doc(&self) -> String {
        // A field and a value: nothing in them can fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    pub fn from_doc(doc: &str) -> Option<Self> {
        serde_json::from_str(doc).ok()
    }
}

/// Posts `change` at `at`. The key tells it from others of its channel (`wamid.…:sent`): the same key at the same
/// time again is the same change, so a transaction that runs again adds nothing.
pub async fn schedule(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: Id,
    at: Timestamp,
    key: &str,
    change: &Change,
) -> store::Result<()> {
    let due = Due { tenant, channel, at, id: key.to_owned(), tries: 0, doc: change.to_doc() };
    due::insert_many(tx, &[due]).await
}
