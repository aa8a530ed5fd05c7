//! Faults on demand: which failure, for which person, how often. A fault is stored as a record until it is used up, so
//! all nodes apply it.

use domain::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox::records::{self, Kind, Record};

use super::records::{parsed, to_record};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub id: String,
    /// Stored as `trouble`, its former name.
    #[serde(rename = "trouble")]
    pub kind: FaultKind,
    /// The person to whom the fault is limited, by position in the tenant's list of people; absent: applies to
    /// everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<i64>,
    /// Remaining uses.
    pub left: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FaultKind {
    /// A message is refused with this Graph error.
    Refuse { code: i64 },
    /// A message is accepted; a `failed` status with this code follows instead of `sent`, `delivered` and `read`.
    Fail { code: i64 },
    /// A message is answered with a server error whose body is no Graph error; it is not accepted.
    ServerError { status: u16 },
    /// A payment look-up is answered with a server error.
    LookupError { status: u16 },
    /// The connection is reset when a message is sent; the message is not accepted.
    Reset,
    /// A message is accepted, then the connection is reset without an answer.
    AcceptThenReset,
    /// The upload of a sample is cut after half of the file.
    CutUpload,
    /// Each webhook is posted several times.
    Duplicate { copies: u32 },
    /// The due changes of a channel are posted one by one, the latest first.
    Reorder,
    /// Due webhooks are postponed by this time.
    Delay { millis: i64 },
    /// `size` changes are gathered into one webhook with one entry for each; fewer after a wait of five seconds.
    Batch { size: u32 },
}

/// Finds the oldest fault that fits and counts one use of it; the last use deletes it.
#[boxed::futures]
pub async fn consume(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    now: Timestamp,
    fits: &(dyn Fn(&Fault) -> bool + Sync),
) -> store::Result<Option<Fault>> {
    let mut found = None;
    for record in records::list_in(tx, tenant, Kind::Fault).await? {
        match parsed::<Fault>(&record) {
            Some(fault) if fits(&fault) => {
                found = records::get_for_update(tx, tenant, Kind::Fault, &record.key).await?;
                break;
            }
            _ => {}
        }
    }
    let Some(fault) = found.as_ref().and_then(parsed::<Fault>) else { return Ok(None) };
    count_use(tx, tenant, now, &fault).await?;
    Ok(Some(fault))
}

async fn count_use(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp, fault: &Fault) -> store::Result<()> {
    if fault.left <= 1 {
        return records::delete(tx, tenant, Kind::Fault, &fault.id).await.map(drop);
    }
    save(tx, tenant, now, &Fault { left: fault.left - 1, ..fault.clone() }).await
}

#[boxed::futures]
pub async fn save(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp, fault: &Fault) -> store::Result<()> {
    let record: Record = to_record(&fault.id, fault, now);
    records::save(tx, tenant, Kind::Fault, &record).await
}
