//! One change of a webhook, put on the list of what is to be posted.

use domain::{ChannelId, TenantId, Timestamp};
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

    pub fn from_doc(doc: &str) -> Option<Self> {
        serde_json::from_str(doc).ok()
    }
}

/// A change as it lies in `sandbox_due`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scheduled {
    #[serde(flatten)]
    pub change: Change,
    /// Unix seconds that the webhook tells: those of the first try, so that a later one has the same bytes.
    pub time: i64,
}

impl Scheduled {
    pub fn from_doc(doc: &str) -> Option<Self> {
        serde_json::from_str(doc).ok()
    }
}

/// The row of a change that is to be posted at `at`.
pub(crate) fn row(tenant: TenantId, channel: ChannelId, at: Timestamp, key: String, change: Change) -> Due {
    let scheduled = Scheduled { change, time: at.seconds() };
    // A field, a value and a number: nothing in them can fail to be written.
    let doc = serde_json::to_string(&scheduled).unwrap_or_default();
    Due { tenant, channel, at, id: key, tries: 0, doc }
}

/// Posts `change` at `at`. The key tells it from others of its channel (`wamid.…:sent`): the same key at the same
/// time again is the same change, so a transaction that runs again adds nothing.
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
