//! The `changes` elements of webhooks, and the rows of `sandbox_due` that schedule their posting.

use domain::{ChannelId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Tx;
use store::platform::sandbox::due::{self, Due};

/// Element of a webhook entry's `changes`: `{field, value}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub field: String,
    pub value: Value,
}

impl Change {
    pub fn new(field: &str, value: Value) -> Self {
        Self { field: field.to_owned(), value }
    }

    pub fn from_doc(doc: &str) -> Option<Self> {
        serde_json::from_str(doc).ok()
    }
}

/// A change as stored in `sandbox_due`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scheduled {
    #[serde(flatten)]
    pub change: Change,
    /// Entry `time` in the webhook, in Unix seconds: when the change was first due, so that a retry posts the same
    /// bytes.
    pub time: i64,
}

impl Scheduled {
    pub fn from_doc(doc: &str) -> Option<Self> {
        serde_json::from_str(doc).ok()
    }
}

/// Builds the row of a change that is due at `at`; stores nothing.
pub(crate) fn row(tenant: TenantId, channel: ChannelId, at: Timestamp, key: String, change: Change) -> Due {
    let scheduled = Scheduled { change, time: at.seconds() };
    // A string, a JSON value and a number always serialize.
    let doc = domain::to_json(&scheduled);
    Due { tenant, channel, at, id: key, tries: 0, doc }
}

/// Schedules `change` for posting at `at`. Scheduling the same key (`wamid.…:sent`) for the same channel and time again
/// adds nothing, so a transaction can be retried.
#[boxed::futures]
pub async fn schedule(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    at: Timestamp,
    key: &str,
    change: &Change,
) -> store::Result<()> {
    due::insert_many(tx, &[row(tenant, channel, at, key.to_owned(), change.clone())]).await
}
