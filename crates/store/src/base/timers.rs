//! Timers: a row says that work of a tenant is due at a time. The kind says which work, the key what it is about.
//!
//! A transaction that decides that something happens later sets a timer. When it is due, the transaction that does the
//! work deletes the row (`take`), so the work is done once, whichever nodes find it and whatever crashes. A timer that
//! was set again meanwhile has another time and is left alone.
//!
//! Read on: `app/src/timers.rs`.

use domain::base::timers::TimerKind;
use domain::{Id, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Result, Tx, params, read};

statements! {
    SET = "INSERT INTO timers (tenant_id, kind, key, due_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, kind, key) DO UPDATE SET due_at = excluded.due_at";
    ADD = "INSERT INTO timers (tenant_id, kind, key, due_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    TAKE = "DELETE FROM timers WHERE tenant_id = $1 AND kind = $2 AND key = $3 AND due_at = $4";
    NEXT tenantless "one scan finds what is due in all tenants; each timer fires in its own" =
        select!(DueTimer, " FROM timers ORDER BY due_at LIMIT $1");
}

/// A timer that was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTimer {
    pub tenant: TenantId,
    /// The name of a `TimerKind`, or one that only a newer version knows.
    pub kind: String,
    pub key: Vec<u8>,
    pub due_at: Timestamp,
}

columns! { DueTimer { tenant: "tenant_id", kind, key, due_at } }

impl DueTimer {
    /// The key, if it is an id.
    pub fn id<K>(&self) -> Option<Id<K>> {
        Some(Id::from_bytes(self.key.as_slice().try_into().ok()?))
    }
}

/// Sets a timer, or sets its time anew. The commit wakes the worker of this process that fires timers.
pub async fn set<K>(tx: &mut Tx<'_>, tenant: TenantId, kind: TimerKind, key: Id<K>, due_at: Timestamp) -> Result<()> {
    tx.timer_set();
    tx.execute(&SET, params![tenant, kind.name(), key, due_at]).await.map(drop)
}

/// Sets a timer unless it is set.
pub async fn add<K>(tx: &mut Tx<'_>, tenant: TenantId, kind: TimerKind, key: Id<K>, due_at: Timestamp) -> Result<()> {
    tx.timer_set();
    tx.execute(&ADD, params![tenant, kind.name(), key, due_at]).await.map(drop)
}

/// Deletes a timer in the transaction that does its work. False if it was taken or set anew meanwhile.
pub async fn take(tx: &mut Tx<'_>, timer: &DueTimer) -> Result<bool> {
    let params = params![timer.tenant, &timer.kind, &timer.key, timer.due_at];
    Ok(tx.execute(&TAKE, params).await? == 1)
}

/// Reads across tenants: the timers with the earliest times, due or not.
pub async fn next(db: &Db, limit: i64) -> Result<Vec<DueTimer>> {
    db.rows(&NEXT, params![limit], read).await
}
