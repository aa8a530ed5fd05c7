//! Teams: created when they are first named.

use const_format::concatcp;
use domain::people::contacts::Team;
use domain::{TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    ADD = concatcp!(insert!("teams": Team, "key, created_at"), " ON CONFLICT (tenant_id, key) DO NOTHING");
    BY_KEY = select!(Team, " FROM teams WHERE tenant_id = $1 AND key = $2");
    COUNT = "SELECT COUNT(*) FROM teams WHERE tenant_id = $1";
}

record! { Team { id, name } }

/// The team with this name in any letter case (`key` is its folded form).
pub async fn by_key(db: &Db, tenant: TenantId, key: &str) -> Result<Option<Team>> {
    db.row(&BY_KEY, params![tenant, key], read).await
}

pub async fn by_key_in(tx: &mut Tx<'_>, tenant: TenantId, key: &str) -> Result<Option<Team>> {
    tx.row(&BY_KEY, params![tenant, key], read).await
}

/// The team whose name has this folded form (`key`); inserts `new` if there is none.
pub async fn find_or_create(tx: &mut Tx<'_>, tenant: TenantId, key: &str, new: &Team, at: Timestamp) -> Result<Team> {
    if let Some(known) = by_key_in(tx, tenant, key).await? {
        return Ok(known);
    }
    tx.execute(&ADD, &Params::for_tenant(tenant).and(new).with(key).with(at)).await?;
    Ok(by_key_in(tx, tenant, key).await?.unwrap_or_else(|| new.clone()))
}

pub async fn count(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT, params![tenant], read).await?.unwrap_or(0))
}
