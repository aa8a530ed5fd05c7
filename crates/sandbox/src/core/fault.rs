//! Trouble that somebody ordered: what is to go wrong, for whom, how often. Each lies as a record until it is used up.

use domain::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::sandbox::records::{self, Kind, Record};

use super::records::{parsed, to_record};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub id: String,
    pub trouble: Trouble,
    /// Only for this person (a position); absent means everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<i64>,
    /// How many times it strikes yet.
    pub left: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Trouble {
    /// A message is refused at once with this Graph error.
    Refuse { code: i64 },
    /// A message is taken; a `failed` status with this code follows in place of the others.
    Fail { code: i64 },
    /// A server error with a body that is no Graph error; nothing is taken.
    ServerError { status: u16 },
    /// A payment is looked up, and the answer is a server error.
    LookupError { status: u16 },
    /// The connection is cut; nothing is taken.
    Reset,
    /// The request is taken, then the connection is cut.
    AcceptThenReset,
    /// Webhooks are posted more than once.
    Duplicate { copies: u32 },
    /// Webhooks are posted in another order.
    Reorder,
    /// Webhooks are posted later.
    Delay { millis: i64 },
    /// Webhooks are gathered into one with many entries.
    Batch { size: u32 },
}

/// The first fault that fits, used once.
pub async fn consume(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    now: Timestamp,
    fits: impl Fn(&Fault) -> bool + Send,
) -> store::Result<Option<Fault>> {
    let mut found = None;
    for record in records::list_in(tx, tenant, Kind::Fault).await? {
        match parsed::<Fault>(&record) {
            Some(fault) if fits(&fault) => {
                found = records::held(tx, tenant, Kind::Fault, &record.key).await?;
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
    put(tx, tenant, now, &Fault { left: fault.left - 1, ..fault.clone() }).await
}

pub async fn put(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp, fault: &Fault) -> store::Result<()> {
    let record: Record = to_record(&fault.id, fault, now);
    records::put(tx, tenant, Kind::Fault, &record).await
}
