//! Counters of a tenant's contacts and of their changes, updated in the transaction of each change.

use domain::TenantId;

use crate::base::columns::{columns, select};
use crate::{Db, Result, Tx, params, read};

statements! {
    RECORD_CHANGE = "INSERT INTO contact_counters (tenant_id, shard, contacts, changes) VALUES ($1, $2, $3, 1)
        ON CONFLICT (tenant_id, shard) DO UPDATE
        SET contacts = contact_counters.contacts + excluded.contacts, changes = contact_counters.changes + 1";
    COUNT = select!(Count, " FROM contact_counters WHERE tenant_id = $1");
}

/// Counter rows for each tenant, so that concurrent writers seldom wait for each other.
const SHARDS: i64 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    pub contacts: i64,
    /// Increases whenever contacts of the tenant change; changes that are written together may count as one.
    pub changes: i64,
}

columns! {
    Count {
        contacts: "CAST(COALESCE(SUM(contacts), 0) AS BIGINT)",
        changes: "CAST(COALESCE(SUM(changes), 0) AS BIGINT)",
    }
}

pub(super) async fn record_change(tx: &mut Tx<'_>, tenant: TenantId, more: i64) -> Result<()> {
    tx.execute(&RECORD_CHANGE, params![tenant, rand::random_range(0..SHARDS), more]).await.map(drop)
}

pub async fn count(db: &Db, tenant: TenantId) -> Result<Count> {
    Ok(db.row(&COUNT, params![tenant], read).await?.unwrap_or_default())
}
