//! States of log-ins at OpenID Connect providers that were used: each works once.

use const_format::concatcp;
use domain::{TenantId, Timestamp};

use crate::base::columns::{insert, record};
use crate::{Params, Result, Tx, params};

statements! {
    INSERT = concatcp!(insert!("used_oidc_states": UsedState), " ON CONFLICT (tenant_id, hash) DO NOTHING");
    SWEEP tenantless "states of the past are swept for all tenants together" =
        "DELETE FROM used_oidc_states WHERE expires_at < $1";
}

/// A used state, as its hash. After `expires_at` the row is not needed: the state is refused because of its age.
#[derive(Debug, Clone)]
pub struct UsedState {
    pub hash: [u8; 32],
    pub expires_at: Timestamp,
}

record! { UsedState { hash, expires_at } }

/// False if the state was used before.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, used: &UsedState) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(used)).await? == 1)
}

pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![now]).await
}
